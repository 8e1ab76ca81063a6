//! A job of Kubernetes.

use serde_json::Value;

use super::{Command, five_fields, variables};
use crate::{Schedule, ScheduleError};

/// A `CronJob`. Image and volume are yours to set.
///
/// # Errors
///
/// The schedule can't be said in a `CronJob`.
pub fn kubernetes(schedule: &Schedule, command: &Command) -> Result<String, ScheduleError> {
    // JSON is YAML.
    let quoted = |text: &str| Value::from(text).to_string();
    let name = format!("preflight-{}", schedule.name.replace('_', "-"));
    let name = name.trim_end_matches('-');
    let mut words = command.words()?;
    if let Some(program) = words.first_mut() {
        // Where it is on this machine says nothing about the image.
        *program = "preflight";
    }
    // $(NAME) would be filled in.
    let words = words
        .into_iter()
        .map(|word| quoted(&word.replace("$(", "$$(")));
    let words: Vec<String> = words.collect();
    let folder = quoted(&command.folder()?);
    let environment: String = variables(schedule)
        .into_iter()
        .map(|variable| {
            format!(
                "                - name: {variable}\n                  valueFrom:\n                    \
                 secretKeyRef: {{name: {name}, key: {variable}}}\n"
            )
        })
        .collect();
    let environment = match environment.as_str() {
        "" => String::new(),
        list => format!("              env:\n{list}"),
    };
    Ok(format!(
        "apiVersion: batch/v1
kind: CronJob
metadata:
  name: {name}
spec:
  schedule: {fields}
  timeZone: {zone}
  concurrencyPolicy: Forbid
  jobTemplate:
    spec:
      backoffLimit: 0
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: preflight
              image: preflight:{version} # yours
              command: [{words}]
              workingDir: {folder}
{environment}              volumeMounts:
                - name: data
                  mountPath: {folder}
          volumes:
            - name: data # logs, lake, state and configuration
              persistentVolumeClaim:
                claimName: preflight # yours
",
        fields = quoted(&five_fields(schedule)?),
        zone = quoted(schedule.cron.zone().name()),
        version = env!("CARGO_PKG_VERSION"),
        words = words.join(", "),
    ))
}
