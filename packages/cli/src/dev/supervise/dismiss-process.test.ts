import { createFakeClock } from 'farebox/testing'
import { expect, test } from 'vitest'
import type { DevAgentProcess, ExitStatus } from './agent-processes.ts'
import { dismissProcess, loadInto } from './supervise-agent.ts'
import type { DevCommand, LoadAgentCommand, Report } from '../messages/messages.ts'

/** A process controlled by the test. */
function scripted(): {
  readonly child: DevAgentProcess
  readonly commands: DevCommand[]
  report(report: Report): void
  end(exit: ExitStatus): void
  kills(): number
} {
  const commands: DevCommand[] = []
  let listen = (_: Report): void => undefined
  let end = (_: ExitStatus): void => undefined
  let kills = 0
  let isCutOff = false
  const ended = new Promise<ExitStatus>(resolve => {
    end = resolve
  })
  const child: DevAgentProcess = {
    send: command => void commands.push(command),
    onReport: next => {
      listen = next
    },
    ended,
    cutOff() {
      isCutOff = true
    },
    get isCutOff() {
      return isCutOff
    },
    kill() {
      kills += 1
      end({ code: null, signal: 'SIGKILL' })
    },
  }
  return { child, commands, report: report => listen(report), end, kills: () => kills }
}

test('D32 a process that is stopping has its grace period, and is killed after it', async () => {
  const clock = createFakeClock()
  const { child, commands, report, kills } = scripted()
  const told: Report[] = []
  const left = dismissProcess(child, true, clock, one => told.push(one))
  report({ kind: 'typed', file: '/p/agent.d.ts' })
  report({ kind: 'leaving' })
  await left
  expect(commands).toEqual([{ kind: 'leave', hasSuccessor: true }])
  expect(told).toEqual([{ kind: 'typed', file: '/p/agent.d.ts' }])
  await clock.advance(25_000)
  expect(kills()).toBe(0)
  await clock.advance(5_000)
  expect(kills()).toBe(1)
  expect(clock.waiting()).toBe(0)
})

test('a process that does not report its stop, has ended, or is disconnected is not waited for', async () => {
  const clock = createFakeClock()
  const silent = dismissProcess(scripted().child, true, clock, () => undefined)
  await clock.advance(1_000)
  await silent
  const gone = scripted()
  const dismissed = dismissProcess(gone.child, true, clock, () => undefined)
  gone.end({ code: 0, signal: null })
  await dismissed
  const blocked = scripted()
  blocked.child.cutOff()
  await dismissProcess(blocked.child, true, clock, () => undefined)
})

test('a load that ends its process, or never ends, fails; the file being read is known', async () => {
  const command = { kind: 'load', config: '/p/agent.json' } as LoadAgentCommand
  const sources = { files: ['/p/agent.json'], handlers: '/p/handlers.ts' }
  const ended = scripted()
  const outcome = loadInto(ended.child, command, new AbortController().signal)
  ended.report({ kind: 'reading', sources })
  ended.end({ code: 3, signal: null })
  expect(await outcome).toEqual({ kind: 'ended', exit: { code: 3, signal: null }, sources })
  const hung = scripted()
  const abort = new AbortController()
  const given = loadInto(hung.child, command, abort.signal)
  abort.abort()
  expect(await given).toEqual({ kind: 'ended', exit: undefined, sources: { files: [] } })
  const broken = scripted()
  const failed = loadInto(broken.child, command, new AbortController().signal)
  broken.report({ kind: 'broken', text: 'stray' })
  expect(await failed).toMatchObject({ kind: 'failed', text: 'stray', isPortTaken: false })
})
