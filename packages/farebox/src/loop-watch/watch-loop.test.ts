import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  CONFIG,
  createProject,
  DEV,
  listening,
  waitJob,
  type Project,
} from '../commands/run-farebox.test-setup.ts'

let project: Project
beforeEach(async () => {
  project = await createProject()
})
afterEach(() => project.remove())

test('a handler that never awaits is reported, blocks signals, and the process ends 15 s after its last event', async () => {
  await project.write('agent.json', JSON.stringify({ ...CONFIG, max_deadline_seconds: 1 }))
  await project.write(
    'handlers.mjs',
    `export default ({ ms }) => {
      console.log('blocks for', ms)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
      return { waited: ms }
    }`,
  )
  const running = project.farebox(['start'], DEV)
  const url = await listening(running)
  // The watching thread starts shortly after the agent; a warning proves that it is running.
  while (!running.errors().includes('a handler has not awaited')) await waitJob(url, 8_000)
  const calledMs = Date.now()
  const call = waitJob(url, 600_000).catch(() => 'cut off')
  await running.until(/blocks for 600000/)
  running.child.kill('SIGTERM')
  running.child.kill('SIGINT')
  const { code, stderr } = await running.ended
  expect(await call).toBe('cut off')
  expect(code).not.toBe(0)
  expect(stderr).toMatch(
    /warning: a handler has not awaited for 5 s: .*no signal is heard; SERVICE_ISOLATION=worker/,
  )
  expect(stderr).toMatch(/error: a handler has not awaited for 15 s: the process is ended/)
  expect(Date.now() - calledMs).toBeGreaterThan(13_000)
})

test('a handler that blocks the process for a while is not ended', async () => {
  await project.write(
    'handlers.mjs',
    `export default () => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 9_000)
      return { waited: 9 }
    }`,
  )
  const running = project.farebox(['start'], DEV)
  const url = await listening(running)
  do {
    const answer = await waitJob(url, 0)
    expect(await answer.json()).toMatchObject({ status: 'completed', output: { waited: 9 } })
    // The loop ends when the watching thread is running.
  } while (!running.errors().includes('a handler has not awaited'))
  running.child.kill('SIGTERM')
  expect((await running.ended).code).toBe(0)
})
