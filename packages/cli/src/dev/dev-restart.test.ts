import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { Project } from '../testing/dev-process.ts'
import { shout, shoutConfig, shoutHandlers, stageShout, type ShoutStage } from '../testing/shout-project.ts'

let project: Project
afterEach(() => project.clear())

async function stage(...options: Parameters<typeof stageShout>): Promise<ShoutStage> {
  const staged = await stageShout(...options)
  project = staged.project
  return staged
}

const STILL = /still serving the last good version\n/

// A busy machine takes longer.
describe('farebox dev', () => {
  test('serves at once, shows a command to try, and reloads after every save', async () => {
    const { dev, url } = await stage(
      { 'handlers.ts': shoutHandlers('one') },
      { variables: { FIXED: 'real' } },
    )
    const heading = await dev.says(/npx farebox call.*\n/)
    expect(heading).toContain('  shout   0.001 USDC   text: string   →  text: string\n')
    expect(heading).toContain('  wallet 0x15d3…6A65, the dev wallet: AGENT_WALLET_ADDRESS is not set\n')
    expect(dev.output()).toMatch(/^Shout {3}http:\S+ {3}dev mode: payments are off$/m)
    expect(await shout(url, 'a')).toEqual({ status: 200, text: 'a-one' })
    expect(await dev.says(/completed job=.*\n/)).toContain('execute job=')

    await project.save('handlers.ts', shoutHandlers('two'))
    expect(await dev.says(/→ .*\n/)).toMatch(/handlers\.ts changed → restarted in \d+ ms\n$/)
    expect(await shout(url, 'a')).toEqual({ status: 200, text: 'a-two' })

    await project.save('lib/mark.ts', "export const mark = '+'\n")
    expect(await dev.says(/→ .*\n/)).toContain('lib/mark.ts changed → restarted')
    expect(await shout(url, 'a')).toEqual({ status: 200, text: 'a+two' })

    // D30: the real environment takes precedence.
    await project.save('.env', 'GREETING=hi\nFIXED=file\n')
    expect(await dev.says(/→ .*\n/)).toContain('.env changed → restarted')
    expect(await shout(url, 'variables')).toEqual({ status: 200, text: 'hi real' })

    await project.save('agent.json', shoutConfig({ name: 'Louder' }))
    expect(await dev.says(/→ .*\n.*\n/)).toMatch(/agent\.json changed → restarted.*\nLouder {3}http/)
    expect(await (await fetch(`${url}/about`)).json()).toMatchObject({ name: 'Louder' })

    dev.signal('SIGINT')
    const { code, out } = await dev.ended
    expect(code).toBe(0)
    expect(out.match(/^stopped$/gm)).toHaveLength(1)
  })

  test('answers a running job with the old code, and the next one with the new code', async () => {
    const { dev, url } = await stage({ 'handlers.ts': shoutHandlers('one') })
    const waiting = shout(url, 'wait')
    await dev.says(/input valid/)
    await project.save('handlers.ts', shoutHandlers('two'))
    await dev.says(/restarted in/)
    expect(await shout(url, 'a')).toEqual({ status: 200, text: 'a-two' })
    await project.save('go', '')
    expect(await waiting).toEqual({ status: 200, text: 'wait-one' })
  })

  // An exact count requires a controlled clock: debounce-changes.test.ts. A busy machine may pause between the saves.
  test('1,000 saves in a row give few restarts; a save without a change of content gives none', async () => {
    const { dev, url } = await stage({ 'handlers.ts': shoutHandlers('zero') })
    await project.save('handlers.ts', shoutHandlers('one'))
    await dev.says(/restarted in/)
    for (let count = 0; count < 1_000; count += 1)
      writeFileSync(join(project.folder, count % 2 === 0 ? 'handlers.ts' : 'lib/mark.ts'), `/* ${count} */`)
    writeFileSync(join(project.folder, 'handlers.ts'), shoutHandlers('two'))
    writeFileSync(join(project.folder, 'lib/mark.ts'), "export const mark = '*'\n")
    await expect.poll(() => shout(url, 'a')).toEqual({ status: 200, text: 'a*two' })
    const served = (): readonly string[] => dev.output().match(/→ (?:restarted|serving again)/g) ?? []
    await expect.poll(() => served().length).toBeGreaterThan(1)
    const before = served().length
    expect(before).toBeLessThan(50)
    await project.save('handlers.ts', shoutHandlers('two'))
    await project.save('agent.json', shoutConfig({ name: 'Last' }))
    await expect.poll(dev.output).toMatch(/\nagent\.json changed → restarted .*\nLast/)
    expect(served()).toHaveLength(before + 1)
  })

  test('a broken config or .env keeps the last good version and is reported with its place until it is fixed', async () => {
    const { dev, url } = await stage({ 'handlers.ts': shoutHandlers('one') })
    await project.save('agent.json', shoutConfig().replace('"0.001"', '"0,001"'))
    expect(await dev.says(STILL)).toMatch(
      /✗ agent\.json:12:19 +capabilities\.shout\.pricing\.amount: .*0,001/,
    )
    expect(await shout(url, 'a')).toEqual({ status: 200, text: 'a-one' })
    await project.save('agent.json', shoutConfig())
    await dev.says(/agent\.json changed → serving again in \d+ ms/)
    await project.save('.env', 'AGENT_WALLET_ADDRESS=0x12\n')
    expect(await dev.says(STILL)).toContain('AGENT_WALLET_ADDRESS')
    await project.remove('.env')
    await dev.says(/\.env changed → serving again/)
  })

  test('keeps the last good version while the handlers are broken in any way', async () => {
    const { dev, url } = await stage({ 'handlers.ts': shoutHandlers('one') })
    await project.save('handlers.ts', shoutHandlers('two', 'const x = ;'))
    expect(await dev.says(STILL)).toMatch(/✗ handlers\.ts:4:11 /)
    await project.save('handlers.ts', shoutHandlers('three', "import './lib/not-there.ts'"))
    expect(await dev.says(STILL)).toContain('not-there.ts')
    // Missing files that were looked up are watched too.
    await project.save('lib/not-there.ts', 'export {}\n')
    await dev.says(/lib\/not-there\.ts changed → serving again/)
    expect(await shout(url, 'a')).toEqual({ status: 200, text: 'a-three' })

    await project.save('handlers.ts', shoutHandlers('four', 'process.exit(7)'))
    expect(await dev.says(STILL)).toContain('exit code 7')
    await project.remove('handlers.ts')
    expect(await dev.says(STILL)).toContain('no handlers beside agent.json')
    await project.save('src/handlers.ts', shoutHandlers('five').replace('./lib', '../lib'))
    await dev.says(/src\/handlers\.ts changed → serving again/)
    expect(await shout(url, 'a')).toEqual({ status: 200, text: 'a-five' })
  })

  test('CommonJS, and files it requires, are followed as well', async () => {
    const { dev, url } = await stage({
      'package.json': '{}',
      'handlers.js':
        "const { mark } = require('./mark.cjs')\nmodule.exports = ({ text }) => ({ text: text + mark })\n",
      'mark.cjs': "exports.mark = '1'\n",
    })
    expect(await shout(url, 'a')).toEqual({ status: 200, text: 'a1' })
    await project.save('mark.cjs', "exports.mark = require('./two.cjs')\n")
    await dev.says(/last good version/)
    await project.save('two.cjs', "module.exports = '2'\n")
    await dev.says(/two\.cjs changed → serving again/)
    expect(await shout(url, 'a')).toEqual({ status: 200, text: 'a2' })
  })

  test('D27 SERVICE_LOG=json makes every line an object', async () => {
    const { dev, url } = await stage(
      { 'handlers.ts': shoutHandlers('one') },
      { variables: { SERVICE_LOG: 'json' } },
    )
    await shout(url, 'a')
    await dev.says(/"completed"/)
    await project.save('handlers.ts', shoutHandlers('two'))
    await dev.says(/"restarted"/)
    dev.signal('SIGTERM')
    const { code, out } = await dev.ended
    expect(code).toBe(0)
    const lines = out.trimEnd().split('\n')
    const events = lines.map(line => (JSON.parse(line) as { readonly event: string }).event)
    for (const event of ['listening', 'execute', 'completed', 'restarted', 'stopped'])
      expect(events).toContain(event)
  })
})
