import { afterEach, expect, test } from 'vitest'
import type { Project } from '../testing/dev-process.ts'
import { shoutHandlers, stageShout } from '../testing/shout-project.ts'

let project: Project
afterEach(() => project.clear())

test('farebox dev --paid: a job is paid, its payment is reported, and saves reload as without --paid', async () => {
  const staged = await stageShout({ 'handlers.ts': shoutHandlers('one') }, { words: ['--paid'] })
  project = staged.project
  const { dev, url } = staged
  expect(dev.output()).toMatch(/^Shout {3}http:\S+ {3}payments are on, on a chain of this machine$/m)
  expect(await dev.says(/try it/)).toMatch(/chain .*\n.*facilitator .*\n.*test wallet .*\n/)

  const call = async (text: string): Promise<string> =>
    (await project.run(['call', url, 'shout', '--text', text, '--max-price', '0.01']).ended).out
  expect(JSON.parse(await call('a'))).toEqual({ text: 'a-one' })
  expect(await dev.says(/agent 0\.001000 USDC \(\+0\.001000\)/)).toMatch(/200 {2}settled/)

  await project.save('handlers.ts', shoutHandlers('two'))
  await dev.says(/handlers\.ts changed → restarted/)
  expect(JSON.parse(await call('a'))).toEqual({ text: 'a-two' })
  await dev.says(/agent 0\.002000 USDC \(\+0\.001000\)/)

  dev.signal('SIGINT')
  expect((await dev.ended).code).toBe(0)
})
