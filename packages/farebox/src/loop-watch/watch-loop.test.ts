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

test('a handler that never awaits: farebox start says so, hears no signal, and ends 15 s after its last event', async () => {
  await project.write('agent.json', JSON.stringify({ ...CONFIG, max_deadline_seconds: 1 }))
  await project.write('handlers.mjs', 'export default () => { for (;;); }')
  const running = project.farebox(['start'], DEV)
  const url = await listening(running)
  // The thread that watches is started a moment after the agent.
  await new Promise(resolve => setTimeout(resolve, 1_500))
  const calledMs = Date.now()
  const call = waitJob(url, 0).catch(() => 'cut off')
  await new Promise(resolve => setTimeout(resolve, 500))
  running.child.kill('SIGTERM')
  running.child.kill('SIGINT')
  const { code, stderr } = await running.ended
  expect(await call).toBe('cut off')
  expect(code).not.toBe(0)
  expect(stderr).toMatch(
    /warning: a handler has not awaited for 5 s: .*no signal is heard; SERVICE_ISOLATION=worker/,
  )
  expect(stderr).toMatch(/error: a handler has not awaited for 15 s: the process is ended/)
  const seconds = (Date.now() - calledMs) / 1_000
  expect(seconds).toBeGreaterThan(13)
  expect(seconds).toBeLessThan(25)
})

test('a handler that computes for a while is left alone', async () => {
  await project.write(
    'handlers.mjs',
    'export default () => { const end = Date.now() + 7_000; while (Date.now() < end); return { waited: 7 } }',
  )
  const running = project.farebox(['start'], DEV)
  const url = await listening(running)
  await new Promise(resolve => setTimeout(resolve, 1_500))
  const answer = await waitJob(url, 0)
  expect(await answer.json()).toMatchObject({ status: 'completed', output: { waited: 7 } })
  running.child.kill('SIGTERM')
  expect((await running.ended).code).toBe(0)
})
