import { rm } from 'node:fs/promises'
import { get } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  createProject,
  DEV,
  listening,
  waitJob,
  type Project,
  type Running,
} from '../commands/run-farebox.test-setup.ts'
import { readProcess } from '../read-process.ts'

const SHARED = { ...DEV, SERVICE_STORE: 'lmdb:jobs' }

let project: Project
beforeEach(async () => {
  project = await createProject()
})
afterEach(() => project.remove())

function start(count: number, variables: NodeJS.ProcessEnv = SHARED): Running {
  return project.farebox(
    ['start', '--port', '0', '--host', '127.0.0.1', '--workers', String(count)],
    variables,
  )
}

interface Output {
  readonly waited: number
  readonly pid: number
}

async function outputOf(answer: Response): Promise<Output> {
  expect(answer.status).toBe(200)
  const { output } = (await answer.json()) as { readonly output: Output }
  return output
}

/** The processes that answer; each further connection goes to the next worker. */
async function pidsOf(url: string, jobs: number): Promise<ReadonlySet<number>> {
  const pids = new Set<number>()
  for (let job = 0; job < jobs; job += 1) pids.add((await outputOf(await waitJob(url, 1))).pid)
  return pids
}

/** Resolves when no process has the pid any more. */
async function isGone(pid: number): Promise<void> {
  while ((await readProcess(pid)) !== undefined) await new Promise(resolve => setImmediate(resolve))
}

/** The result of a request on a separate connection. */
function knock(url: string): Promise<'answered' | 'turned away'> {
  return new Promise(resolve => {
    const request = get(`${url}/health`, { agent: false }, response => {
      response.resume().on('end', () => resolve('answered'))
    })
    request.on('error', () => resolve('turned away'))
  })
}

describe('farebox start --workers', () => {
  test('several processes answer on one port, with one line at the start and one copy of each warning', async () => {
    const running = start(3)
    const url = await listening(running)
    const pids = await pidsOf(url, 6)
    expect(pids.size).toBe(3)
    expect(pids).not.toContain(running.pid)
    expect(running.output()).toMatch(
      /^Waiter {3}http:\/\/localhost:\d+ {3}dev mode: payments are off {3}3 workers$/m,
    )
    expect(running.output().match(/http:\/\/localhost/g)).toHaveLength(1)
    expect(running.output().match(/^warning: /gm)).toHaveLength(1)
  })

  test('IDM-04 the same job sent fifty times concurrently is run once, by one worker', async () => {
    const running = start(3)
    const url = await listening(running)
    const jobId = crypto.randomUUID()
    const answers = await Promise.all(Array.from({ length: 50 }, () => waitJob(url, 200, jobId)))
    const bodies = await Promise.all(answers.map(answer => answer.text()))
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(50).fill(200))
    expect(new Set(bodies).size).toBe(1)
    // The log lines of a worker may arrive after its answer.
    const lines = (line: string): number => running.output().match(new RegExp(line, 'gm'))?.length ?? 0
    await expect.poll(() => lines(`^execute job=${jobId} `)).toBe(50)
    expect(lines(`^input valid job=${jobId} `)).toBe(1)
    expect((await pidsOf(url, 6)).size).toBe(3)
  })

  test('a killed worker is replaced, while the others continue', async () => {
    const running = start(2)
    const url = await listening(running)
    const before = await pidsOf(url, 4)
    const [victim = 0] = before
    process.kill(victim, 'SIGKILL')
    await running.until(
      new RegExp(`^warning: a worker ended; starting a replacement pid=${victim} ended=SIGKILL$`, 'm'),
    )
    let after: ReadonlySet<number>
    do after = await pidsOf(url, 4)
    while (after.size < 2)
    expect(after).not.toContain(victim)
    expect([...after].some(pid => before.has(pid))).toBe(true)
  })

  test('D32 SIGTERM: every job in flight is answered, all workers end, exit 0', async () => {
    const running = start(2)
    const url = await listening(running)
    const pids = await pidsOf(url, 4)
    const answers = [waitJob(url, 500), waitJob(url, 500)]
    await running.until(/(?:input valid[^]*){6}/)
    running.child.kill('SIGTERM')
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200])
    const { code, stderr } = await running.ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    await Promise.all([...pids].map(isGone))
  })

  test('D32 a request during the stop is answered or refused, and never left waiting', async () => {
    const running = start(4)
    const url = await listening(running)
    await project.write('hold', '')
    const answer = waitJob(url, 1)
    await running.until(/input valid/)
    running.child.kill('SIGTERM')
    const met: string[] = []
    for (let round = 0; round < 40; round += 1) {
      const told = await Promise.all(Array.from({ length: 10 }, () => knock(url)))
      met.push(...told)
    }
    expect(met).toContain('answered')
    // A request that was left waiting would last until the worker of this job ended, and so would this test.
    await rm(join(project.folder, 'hold'))
    expect((await answer).status).toBe(200)
    expect((await running.ended).code).toBe(0)
  })

  test('Ctrl-C reaches all processes, and counts as one request to stop', async () => {
    const running = start(2)
    const url = await listening(running)
    const answer = waitJob(url, 400)
    await running.until(/input valid/)
    process.kill(-running.pid, 'SIGINT')
    expect((await answer).status).toBe(200)
    expect((await running.ended).code).toBe(0)
  })

  test('a second signal ends all processes at once', async () => {
    const running = start(2)
    const url = await listening(running)
    const pids = await pidsOf(url, 4)
    const answer = waitJob(url, 200_000).catch(() => 'cut off')
    await running.until(/(?:input valid[^]*){5}/)
    running.child.kill('SIGTERM')
    // Waits until the first signal was handled, because two signals at the same time count as one. A broken connection
    // proves nothing.
    while (
      (await waitJob(url, 1).then(
        ({ status }) => status,
        () => 0,
      )) !== 503
    )
      await new Promise(resolve => setImmediate(resolve))
    running.child.kill('SIGTERM')
    expect((await running.ended).code).toBe(1)
    expect(await answer).toBe('cut off')
    await Promise.all([...pids].map(isGone))
  })

  test('kill -9 of the supervisor: the workers finish their jobs, and end', async () => {
    const running = start(2)
    const url = await listening(running)
    const pids = await pidsOf(url, 4)
    const answer = waitJob(url, 500)
    await running.until(/(?:input valid[^]*){5}/)
    running.child.kill('SIGKILL')
    expect((await answer).status).toBe(200)
    await Promise.all([...pids].map(isGone))
  })
})

describe('refused starts', () => {
  test('an error of the first worker is reported once: exit 1', async () => {
    await project.write('handlers.mjs', 'nothing.start()')
    const { code, stdout, stderr } = await start(3).ended
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toBe(
      '✗ handlers.mjs could not be loaded: ReferenceError: nothing is not defined\n    at handlers.mjs:1:1\n',
    )
  })

  test('a first worker that ends silently before it listens is reported', async () => {
    await project.write('handlers.mjs', 'process.exit(7)')
    expect(await start(2).ended).toEqual({
      code: 1,
      stdout: '',
      stderr: '✗ cannot start: the first worker ended (exit code 7) before it listened\n',
    })
  })

  test('D6 memory: cannot be shared, so the start is refused', async () => {
    expect(await start(2, DEV).ended).toEqual({
      code: 1,
      stdout: '',
      stderr:
        '✗ cannot start: SERVICE_STORE is memory:, which 2 workers cannot share\n  set SERVICE_STORE=lmdb:<folder> or leave it unset, or leave out --workers\n',
    })
  })

  test('workers that repeatedly die at their start are not replaced forever: exit 1', async () => {
    const running = start(2)
    const pids = [...(await pidsOf(await listening(running), 4))]
    await rm(join(project.folder, 'handlers.mjs'))
    const [victim = 0, other = 0] = pids
    process.kill(victim, 'SIGKILL')
    const { code, stderr } = await running.ended
    expect(code).toBe(1)
    expect(stderr).toMatch(/✗ no handlers beside agent\.json\n/)
    expect(stderr).toMatch(/✗ stopping: workers end as soon as they start, the last one with exit code 1\n$/)
    await isGone(other)
  })
})
