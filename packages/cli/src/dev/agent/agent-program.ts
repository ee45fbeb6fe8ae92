// The program of an agent process: it receives commands, serves one version of the agent, and sends reports.
import { redactorOf } from 'farebox/internal/command-line'
import { describeStray, receiveCommands } from './receive-commands.ts'
import { readCommand, type Report } from '../messages/messages.ts'
import { traceImports } from './trace-imports.ts'

const receiver = receiveCommands(traceImports(process.ppid), report)
// Ctrl-C reaches every process of the terminal, but the watching process decides when this one ends.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined)
process.on('uncaughtException', error =>
  report({ kind: 'broken', text: redactorOf(process.env)(describeStray(error)) }),
)
process.on('disconnect', () => void receiver.leave(true))
process.on('message', message => {
  const command = readCommand(message)
  if (command !== undefined) receiver.receive(command)
})
report({ kind: 'up' })

function report(one: Report): void {
  // When this fails, the watching process has ended, and this process will end shortly after.
  if (process.connected) process.send?.(one, undefined, undefined, () => undefined)
}
