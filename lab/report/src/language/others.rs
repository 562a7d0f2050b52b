//! What stands around a run: the machine among the others, its earlier runs, its steps, advice.

use super::subject;

subject! {
    /// The machine among the others.
    OthersMessages {
        texts {
            /// The heading of the section.
            title,
            /// What is compared.
            explained,
            /// What the mark of a figure means that was not measured by Kasoku.
            quoted,
            /// The name of the legend's first bar.
            this_machine,
            /// The second: machines that Kasoku measured.
            measured,
            /// The third: figures from elsewhere.
            elsewhere,
            /// A group: ciphers.
            symmetric,
            /// A group: hashes.
            hashes,
            /// A group: key agreement and signatures.
            curves,
            /// That this run has no figure of an algorithm that could stand in its table.
            not_here,
            /// The title of the table of machines.
            machines,
        }
        sentences {
            /// So many machines are left out between two rows.
            gap: fn(usize) -> String,
            /// What shows all machines: a command.
            all: fn(&str) -> (&'static str, String, &'static str),
            /// That the store could not be read: why.
            unread: fn(&str) -> String,
        }
    }
}

subject! {
    /// Earlier runs of the machine.
    HistoryMessages {
        texts {
            /// The heading of the section.
            title,
            /// That there is only this run.
            alone,
            /// That figures from elsewhere have no history.
            quoted,
            /// That no change is shown anywhere.
            unchanged,
            /// Over the changes that are shown.
            changed,
            /// What the marks of the table mean.
            legend,
            /// That the library's version is not the same in all runs.
            versions_differ,
            /// The title of the table.
            table,
            /// The mark of the run that the page is of.
            this_run,
            /// At the beginning of a chart's axis.
            oldest,
            /// At its end.
            newest,
        }
        sentences {
            /// When a change is shown: in per cent.
            rule: fn(f64) -> String,
            /// That only the newest runs stand there: how many, and the command that shows all.
            most: fn(usize, &str) -> (String, String, &'static str),
            /// A change that is shown: workload, how many times, when.
            change: fn(&str, &str, &str) -> String,
            /// What a chart shows: unit and its lines.
            chart: fn(&str, &[String]) -> String,
            /// A line: stack, oldest figure, newest figure, number of runs.
            line: fn(&str, &str, &str, usize) -> String,
        }
    }
}

subject! {
    /// Steps and advice on the page.
    AroundMessages {
        texts {
            /// The heading of the section of steps.
            steps,
            /// What a step is.
            steps_explained,
            /// Under a chart of a step.
            steps_legend,
            /// The heading of the section of advice.
            advice,
            /// Over the lines that stand for all advice.
            advice_short,
            /// The mark of advice that asks the reader to act.
            advice_act,
            /// Before lines to paste.
            advice_paste,
        }
        sentences {
            /// That more curves have steps than are shown: how many, and the command.
            steps_more: fn(usize, &str) -> (String, String, &'static str),
            /// The title of a chart of a step: its size.
            steps_chart: fn(&str) -> String,
            /// What one sees in it: how many sizes, the time before, the time at the step, its size.
            steps_seen: fn(usize, &str, &str, &str) -> String,
        }
    }
}
