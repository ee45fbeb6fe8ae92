import { createServer, type AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { createProject, type Project } from '../testing/dev-process.ts'
import {
  SHOUT,
  shout,
  shoutConfig,
  shoutHandlers,
  stageShout,
  type ShoutStage,
} from '../testing/shout-project.ts'

let project: Project
afterEach(() => project.clear())

async function stage(...options: Parameters<typeof stageShout>): Promise<ShoutStage> {
  const staged = await stageShout(...options)
  project = staged.project
  return staged
}

/** Resolves when a process is gone. */
async function gone(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0)
    } catch {
      return
    }
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

// A busy machine takes longer.
describe('farebox dev continues', () => {
  test('a stray error, an exit and a blocking handler are reported, and the process is replaced', async () => {
    const { dev, url } = await stage({ 'handlers.ts': shoutHandlers('one') })
    const waiting = shout(url, 'wait')
    await dev.says(/input valid/)
    expect(await shout(url, 'stray')).toEqual({ status: 200, text: 'stray-one' })
    const told = await dev.says(/new process → serving again in \d+ ms/)
    await project.save('go', '')
    expect(await waiting).toEqual({ status: 200, text: 'wait-one' })
    expect(told).toMatch(/✗ an uncaught error\n {2}Error: left behind\n .*handlers\.ts:\d+/)

    await shout(url, 'exit').catch(() => undefined)
    const ended = await dev.says(/new process → serving again/)
    expect(ended).toContain('exit code 3, process.exit() in a handler?')
    expect(await shout(url, 'a')).toEqual({ status: 200, text: 'a-one' })

    void shout(url, 'block').catch(() => undefined)
    const blocked = await dev.says(/new process → serving again/)
    expect(blocked).toMatch(/^handler error: shout has not awaited for 3 s: .*job=/m)
    expect(blocked).toContain('✗ the agent has not answered for 5 s')
    expect(await shout(url, 'a')).toEqual({ status: 200, text: 'a-one' })
    // The blocked process has half a minute to respond; a second Ctrl-C does not wait for it.
    dev.signal('SIGINT')
    await dev.says(/waiting for the jobs in flight; Ctrl-C again ends them\n/)
    dev.signal('SIGINT')
    expect((await dev.ended).code).toBe(130)
  })

  test('answers 408 soon after the deadline of a handler that never returns, and ends the process', async () => {
    const { dev, url } = await stage({ 'handlers.ts': shoutHandlers('one') })
    const blocked = Number((await shout(url, 'pid')).text)
    const sentMs = Date.now()
    expect((await shout(url, 'block', 2)).status).toBe(408)
    expect(Date.now() - sentMs).toBeGreaterThanOrEqual(2_000)
    const told = await dev.says(/serving again/)
    expect(told).toMatch(/^handler error: shout never awaited and ran past its deadline: .* job=/m)
    expect(told).toContain('ended unexpectedly: a handler that never awaits ran past its deadline')
    await gone(blocked)
    expect(await shout(url, 'a')).toEqual({ status: 200, text: 'a-one' })
  })

  test('leaves no process behind when it is killed, whatever the handler does', async () => {
    const { dev, url } = await stage({ 'handlers.ts': shoutHandlers('one') })
    const old = Number((await shout(url, 'pid')).text)
    void shout(url, 'wait').catch(() => undefined)
    await dev.says(/input valid[^]*input valid/)
    await project.save('handlers.ts', shoutHandlers('two'))
    await dev.says(/restarted in/)
    const blocked = Number((await shout(url, 'pid')).text)
    expect(blocked).not.toBe(old)
    const block = shout(url, 'block').catch(() => 'cut off')
    await dev.says(/blocking/)
    dev.signal('SIGKILL')
    await dev.ended
    expect(await block).toBe('cut off')
    await gone(old)
    await gone(blocked)
  })

  test('answers with samples while there are no handlers, and uses the handlers when they are written', async () => {
    const two = { shout: SHOUT, whisper: { ...SHOUT, description: 'Quiet.' } }
    const { dev, url } = await stage({ 'agent.json': shoutConfig({ capabilities: two }) })
    expect(await dev.says(/satisfies Handlers/)).toContain(
      '! SAMPLES: there are no handlers yet, every answer is made up from the output schema',
    )
    expect(await shout(url, 'a')).toEqual({ status: 200, text: 'text' })
    await dev.says(/sample answer: shout has no handler yet job=/)

    await project.save('handlers.ts', 'export default { shuot: () => ({ text: "" }) }\n')
    expect(await dev.says(/last good version/)).toContain('shuot')
    await project.save(
      'handlers.ts',
      'export default { shout: ({ text }: { text: string }) => ({ text }) }\n',
    )
    await dev.says(/handlers\.ts changed → serving again/)
    expect(await dev.says(/\n\n.*whisper: .*\n/)).toContain(
      '! SAMPLES: whisper has no handler in handlers.ts, its answers are made up from the output schema',
    )
    expect(await shout(url, 'a')).toEqual({ status: 200, text: 'a' })
    // The project uses TypeScript, so its types are updated, before or after.
    await expect.poll(dev.output).toContain('agent.d.ts written')
  })
})

describe('farebox dev refuses', () => {
  test('a port that is in use, with the process that uses it, and prints nothing else', async () => {
    const other = createServer()
    await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as AddressInfo
    project = await createProject({ 'agent.json': shoutConfig() })
    const { code, out, err } = await project.run(['dev'], { PORT: String(port) }).ended
    await new Promise(resolve => other.close(resolve))
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(new RegExp(`^✗ cannot listen: port ${port} is taken by process ${process.pid} `))
    expect(err).toMatch(/\n {2}end that, or choose another port with --port\n$/)
  })

  test('a folder without a config, and an invalid port', async () => {
    project = await createProject({})
    const [none, port] = await Promise.all([
      project.run(['dev']).ended,
      project.run(['dev', '--port', '70000']).ended,
    ])
    expect(none.code).toBe(1)
    expect(none.err).toMatch(/^✗ agent\.json: there is no such file\n {2}npx farebox init \. /)
    expect(port.code).toBe(2)
    expect(port.err).toContain('--port 70000 is no port')
  })
})
