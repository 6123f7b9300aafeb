// SPDX-License-Identifier: MIT
// The verbs; each takes the words after its name and gives the exit code.
#ifndef CLI_VERBS_H
#define CLI_VERBS_H

int cli_run(int argc, char** argv);
int cli_check(int argc, char** argv);
int cli_info(int argc, char** argv);
int cli_convert(int argc, char** argv);
int cli_view(int argc, char** argv);
int cli_export(int argc, char** argv);
int cli_render(int argc, char** argv);
int cli_plot(int argc, char** argv);
int cli_experiment(int argc, char** argv);
int cli_bench(int argc, char** argv);

#endif
