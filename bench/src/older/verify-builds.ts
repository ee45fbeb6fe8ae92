import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Row } from '../report/bench.ts'
import { milliseconds } from '../report/figures.ts'
import { interleave, type Contender } from '../rounds/interleave.ts'
import { builtFile } from '../stage/start-server.ts'
import { CURRENT, type Build } from '../stage/build.ts'
import type { Stage } from '../stage/stage.ts'
import { compareBuilds } from './compare-builds.ts'
import type { VerifyAnswer, VerifyQuestion } from './verify-messages.ts'

/** So that a round takes some hundred milliseconds. */
const TIMES = { native: 80, wasm: 20 }

/** Verifies the same payments with the current build and an older one, each in a process of its own, in turns. */
export async function verifyBuilds(
  stage: Stage,
  older: Build,
  headers: readonly string[],
): Promise<readonly Row[]> {
  const builds = [CURRENT, older]
  const processes = new Map<Build, ChildProcess>()
  for (const build of builds) processes.set(build, await startVerifier(stage, build, headers))
  const curves = ['native', 'wasm'] as const
  const contenders = curves.flatMap(curve =>
    builds.map((build): Contender<number> => ({
      name: `${build.name} ${curve}`,
      run: () => measure(processes.get(build), { curve, times: TIMES[curve] }),
    })),
  )
  const measured = await interleave(contenders, { warmUps: 2, rounds: stage.quick ? 7 : 25 }, stage.tell)
  return curves.map(curve => {
    const [current = [], other = []] = builds.map(({ name }) => measured.get(`${name} ${curve}`) ?? [])
    return compareBuilds(
      { current, older: other },
      {
        what: `verify one payment, ${curve}`,
        better: 'less',
        olderName: older.name,
        format: milliseconds,
      },
    )
  })
}

async function startVerifier(
  stage: Stage,
  { name, root }: Build,
  headers: readonly string[],
): Promise<ChildProcess> {
  const program = builtFile('older/verify-program.js')
  const child = fork(program, [root, JSON.stringify(headers)], {
    execArgv: [],
    env: { PATH: process.env['PATH'], NODE_ENV: 'production' },
  })
  stage.onStrike(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill()
    await ended
  })
  await nextAnswer(child, name)
  return child
}

async function measure(child: ChildProcess | undefined, question: VerifyQuestion): Promise<number> {
  if (child === undefined) throw new Error('a build has no process')
  const answering = nextAnswer(child, question.curve)
  child.send(question)
  const answer = await answering
  if (answer.kind !== 'measured') throw new Error(`a process of a build answered ${answer.kind}`)
  return answer.msEach
}

/** Rejects where the process ends instead; what it printed is on the screen then. */
async function nextAnswer(child: ChildProcess, name: string): Promise<VerifyAnswer> {
  const waiting = new AbortController()
  try {
    return await Promise.race([
      once(child, 'message', waiting).then(([message]) => message as VerifyAnswer),
      once(child, 'exit', waiting).then(() => {
        throw new Error(`the process that verifies with ${name} ended`)
      }),
    ])
  } finally {
    waiting.abort()
  }
}
