// Counts the instructions that a program runs between two signals SIGUSR1 that it raises, by making it stop after each.
// No machine's other guests change their number, and no rights are needed, as they are for a processor's counters.
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **arguments) {
  if (count < 2) return 2;
  const pid_t child = fork();
  if (!child) {
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    execv(arguments[1], arguments + 1);
    return 2;
  }
  long long instructions = 0;
  int counts = 0, status;
  for (;;) {
    if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) break;
    if (WSTOPSIG(status) == SIGUSR1) counts = !counts;
    else if (WSTOPSIG(status) != SIGTRAP) return 2;
    instructions += counts;
    if (ptrace(counts ? PTRACE_SINGLESTEP : PTRACE_CONT, child, NULL, NULL)) return 2;
  }
  printf("%lld\n", instructions);
  return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : 2;
}
