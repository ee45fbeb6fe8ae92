import { createServer, type AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CONFIG, createProject, listening, PAID, waitJob, type Project } from './run-farebox.test-setup.ts'

let project: Project
beforeEach(async () => {
  project = await createProject()
})
afterEach(() => project.remove())

describe('farebox validate', () => {
  const WRONG = JSON.stringify({ ...CONFIG, name: '', colour: 'red' }, null, 2)

  test('exits with 1 and prints every problem with its place', async () => {
    await project.write('wrong.json', WRONG)
    const { code, stdout, stderr } = await project.farebox(['validate', '--config', 'wrong.json'], {}).ended
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/wrong\.json:3:11 +name: must not be empty\n/)
    expect(stderr).toMatch(/wrong\.json:31:3 +colour: is not a known key\n/)
  })

  test('takes the file as an argument, and prints one JSON document with --json, even for a refusal', async () => {
    await project.write('wrong.json', WRONG)
    const wrong = await project.farebox(['validate', '--json', 'wrong.json'], {}).ended
    expect(wrong).toMatchObject({ code: 1, stderr: '' })
    expect(JSON.parse(wrong.stdout)).toEqual({
      ok: false,
      problems: [
        {
          file: 'wrong.json',
          line: 3,
          column: 11,
          path: 'name',
          reason: 'must not be empty',
          fix: expect.any(String),
        },
        {
          file: 'wrong.json',
          line: 31,
          column: 3,
          path: 'colour',
          reason: 'is not a known key',
          fix: expect.any(String),
        },
      ],
    })
    // The command needs neither the environment nor the handlers.
    await project.write('handlers.mjs', 'broken(')
    const right = await project.farebox(['validate', 'agent.json', '--json'], {}).ended
    expect(right).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(right.stdout)).toEqual({
      ok: true,
      name: 'Waiter',
      capabilities: ['wait'],
      warnings: [],
    })
  })

  test('reports an example that its field would refuse as a warning with its place, as text and as JSON', async () => {
    const { wait } = CONFIG.capabilities
    const seconds = { type: 'number', description: 'how long', maximum: 5, examples: [3, 9] }
    const capabilities = { wait: { ...wait, input_schema: { seconds } } }
    await project.write('surprising.json', JSON.stringify({ ...CONFIG, capabilities }, null, 1))
    const [forPeople, forScripts] = await Promise.all([
      project.farebox(['validate', 'surprising.json'], {}).ended,
      project.farebox(['validate', 'surprising.json', '--json'], {}).ended,
    ])
    expect(forPeople).toMatchObject({ code: 0, stderr: '' })
    expect(forPeople.stdout).toMatch(
      /^✓ surprising\.json: .*\n! surprising\.json:\d+:\d+ {2}capabilities\.wait\.input_schema\.seconds\.examples\[1\]: .*\n {2}\S.*\n$/,
    )
    expect(forScripts.code).toBe(0)
    expect(JSON.parse(forScripts.stdout)).toMatchObject({
      ok: true,
      warnings: [{ file: 'surprising.json', path: 'capabilities.wait.input_schema.seconds.examples[1]' }],
    })
  })

  test('exits with 1 for a missing file, with --json too', async () => {
    const { code, stdout } = await project.farebox(['validate', 'none.json', '--json'], {}).ended
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, problems: [{ file: 'none.json', path: '' }] })
  })
})

describe('farebox start exits with a reason and a suggested fix', () => {
  test('D30 for everything that is missing or wrong at once: variables, config, handlers', async () => {
    await project.write('agent.json', JSON.stringify({ ...CONFIG, name: '' }, null, 2))
    const { code, stderr } = await project.farebox(['start', '--handlers', 'none.mjs'], {
      SERVICE_DEV_MODE: 'maybe',
    }).ended
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^✗ cannot start: 2 variables are missing or wrong\n {2}SERVICE_DEV_MODE {6}must be exactly "true" or "false", got "maybe"\n {24}set SERVICE_DEV_MODE=false .*\n {2}AGENT_WALLET_ADDRESS {2}is not set\n {24}set AGENT_WALLET_ADDRESS /,
    )
    expect(stderr).toMatch(/^✗ agent\.json:3:11 {2}name: must not be empty$/m)
  })

  test('OPS-10 for a port in use: names the process, and the fix', async () => {
    const other = createServer()
    await new Promise<void>(resolve => other.listen(0, resolve))
    const { port } = other.address() as AddressInfo
    const { code, stderr } = await project.farebox(['start', '--port', String(port)]).ended
    await new Promise(resolve => other.close(resolve))
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        new RegExp(
          `^✗ cannot listen: port ${port} is taken by process ${process.pid} \\(.+\\)\n  end that, or choose another port with --port\n$`,
        ),
      ),
    })
  })

  test('for handlers that throw while they load: shows only stack lines in the author’s files', async () => {
    await project.write('cities.mjs', 'export function open(path) {\n  JSON.parse(path)\n}\n')
    await project.write('handlers.mjs', "import { open } from './cities.mjs'\nopen('{')\nexport default {}\n")
    const { code, stderr } = await project.farebox(['start']).ended
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^✗ handlers\.mjs could not be loaded: SyntaxError: .+\n {4}at open \(cities\.mjs:2:8\)\n {4}at handlers\.mjs:2:1\n$/,
    )
  })

  test('for a .env that cannot be parsed reliably: shows its line number, not its content', async () => {
    await project.write('.env', 'SERVICE_DEV_MODE false sentinel\n')
    const { code, stderr } = await project.farebox(['start']).ended
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: '✗ .env:1 is no NAME=value\n  write it so, or put a # before it\n',
    })
  })

  test.each([
    [['start', '--conf', 'x'], 'farebox start: --conf is not an option, did you mean --config?'],
    [['start', '--wrokers=2'], 'farebox start: --wrokers is not an option, did you mean --workers?'],
    [['validate', 'a.json', 'b.json'], 'farebox validate: one config at a time'],
  ])('for invalid arguments: exit 2 (%j)', async (args, sentence) => {
    const { code, stdout, stderr } = await project.farebox(args).ended
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr.split('\n')[0]).toBe(`✗ ${sentence}`)
  })
})

describe('farebox start serves until it is stopped', () => {
  test('D32 SIGTERM: the job in flight is answered, exit 0 whatever the handlers left running', async () => {
    const running = project.farebox(['start', '--port', '0'])
    const url = await listening(running)
    const answer = waitJob(url, 300)
    await running.until(/input valid/)
    running.child.kill('SIGTERM')
    expect((await answer).status).toBe(200)
    const { code, stdout, stderr } = await running.ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^Waiter {3}http:\/\/localhost:\d+ {3}dev mode: payments are off$/m)
    expect(stdout).toMatch(/^warning: dev mode: payments are off, every job is free$/m)
    expect(stdout).toMatch(/^completed job=/m)
  })

  test('a second signal ends the process at once', async () => {
    const running = project.farebox(['start', '--port', '0'])
    const url = await listening(running)
    const answer = waitJob(url, 200_000).catch(() => 'cut off')
    await running.until(/input valid/)
    running.child.kill('SIGTERM')
    // The second signal must be sent after the first was handled, from when on new jobs are refused.
    while ((await waitJob(url, 1)).status !== 503) await new Promise(resolve => setImmediate(resolve))
    running.child.kill('SIGINT')
    expect((await running.ended).code).toBe(1)
    expect(await answer).toBe('cut off')
  })

  test('DDL-09 an uncaught error of a handler: jobs in flight are finished, exit 1', async () => {
    const running = project.farebox(['start', '--port', '0'])
    const url = await listening(running)
    const [slow, stray] = await Promise.all([waitJob(url, 200), waitJob(url, 7)])
    expect([slow.status, stray.status]).toEqual([200, 200])
    const { code, stderr } = await running.ended
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^✗ stopping: an uncaught error\n {2}Error: left behind\n/),
    })
  })

  test('D27 a handler’s error is logged with its place', async () => {
    const running = project.farebox(['start', '--port', '0'])
    expect((await waitJob(await listening(running), 13)).status).toBe(500)
    const [line] = await running.until(/^handler error: .*$/m)
    expect(line).toMatch(
      /^handler error: unlucky job=[0-9a-f-]{36} at=handlers\.mjs:6:24 trace=[0-9a-f]{32}$/,
    )
  })

  test('D30 .env beside the config sets missing variables; their names are logged, their values are not', async () => {
    await project.write(
      '.env',
      'SERVICE_DEV_MODE=false\nAGENT_WALLET_ADDRESS=0x00000000000000000000000000000000000fa4e0\nGREETING=sentinel\n',
    )
    await project.write(
      'handlers.mjs',
      'export default () => ({ waited: process.env.GREETING.length, pid: process.pid })',
    )
    const running = project.farebox(['start', '--port', '0'], {
      SERVICE_DEV_MODE: 'true',
      SERVICE_STORE: 'memory:',
    })
    const answer = await waitJob(await listening(running), 1)
    expect(await answer.json()).toMatchObject({ output: { waited: 'sentinel'.length } })
    expect(running.output()).toMatch(/^from \.env: AGENT_WALLET_ADDRESS, GREETING$/m)
    expect(running.output()).not.toContain('sentinel')
  })

  test('D11 starts without FACILITATOR_SECRET, with a warning; D27 SERVICE_LOG=json makes every line an event', async () => {
    const running = project.farebox(['start', '--port', '0', '--host', '127.0.0.1'], {
      ...PAID,
      SERVICE_LOG: 'json',
    })
    const url = await listening(running)
    expect((await waitJob(url, 1)).status).toBe(402)
    running.child.kill('SIGTERM')
    const { code, stdout } = await running.ended
    expect(code).toBe(0)
    const events = stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as unknown)
    expect(events).toContainEqual({
      time: expect.any(String),
      level: 'info',
      event: 'listening',
      name: 'Waiter',
      url: expect.stringMatching(/^http:\/\/localhost:\d+$/),
    })
    expect(events).toContainEqual({
      time: expect.any(String),
      level: 'warn',
      event: expect.stringMatching(
        /^FACILITATOR_SECRET is not set: every paid request will be answered 401; npx farebox secret create /,
      ),
    })
  })

  test('D12 a facilitator that does not answer is reported at the start, which does not wait for it', async () => {
    const nobody = createServer()
    await new Promise<void>(resolve => nobody.listen(0, '127.0.0.1', resolve))
    const { port } = nobody.address() as AddressInfo
    await new Promise(resolve => nobody.close(resolve))
    const running = project.farebox(['start', '--port', '0'], {
      ...PAID,
      FACILITATOR_SECRET: 'fs_sentinel',
      FACILITATOR_URL: `http://user:word@127.0.0.1:${port}/x402`,
    })
    expect((await waitJob(await listening(running), 1)).status).toBe(402)
    const [line] = await running.until(/^warning: the facilitator .*$/m)
    expect(line).toMatch(
      new RegExp(
        `^warning: the facilitator does not answer; paid requests will be answered 500 until it does at=http://127.0.0.1:${port} cause=".*ECONNREFUSED`,
      ),
    )
    expect(running.output()).not.toMatch(/sentinel|word/)
  })
})
