import { createRandom } from '../../simulator/seeded-random.ts'
import type { Recipe } from '../generate/recipe.ts'
import { readObject, refuseAnswer } from '../oracle/answer-table.ts'
import { findLeak } from '../oracle/foresee.ts'
import { ORIGIN } from './fuzz-stage.ts'
import { send, takeCourse, type RunScene } from './send-request.ts'

/** Methods that are tried. */
export const METHODS: readonly string[] = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'OPTIONS',
  'FOO',
  'get',
  'Post',
  'PROPFIND',
  '__proto__',
]
/** Paths that are tried, most of them nobody's. */
export const PATHS: readonly string[] = [
  '/health',
  '/about',
  '/execute',
  '/health?x=1',
  '/execute?job_id=1',
  '/about#part',
  '/',
  '/Health',
  '/execute/',
  '//execute',
  '/execute%2f',
  '/%65xecute',
  '/./health',
  '/x/../about',
  '/__proto__',
  '/constructor',
  '/toString',
  '/health;a=b',
  '/health%00',
  '/.env',
  '/about\\',
  `/${'a'.repeat(4_000)}`,
  '/é',
  '/%ff',
  '/health%20',
]
const GETS: ReadonlySet<string> = new Set(['/health', '/about'])

/** Asks for a path by a method, most of them nobody's, and judges by the table of routes (D15, D31). */
export async function runRoute(scene: RunScene, recipe: Recipe): Promise<string | undefined> {
  const random = createRandom(recipe.seed)
  const wire = {
    method: random.pick(METHODS),
    url: `${ORIGIN}${random.pick(PATHS)}`,
    headers: [],
    body: undefined,
  }
  const { method } = new Request(wire.url, { method: wire.method })
  const { pathname } = new URL(wire.url)
  scene.stage.calls.length = 0
  scene.onBranch(`method ${wire.method}`)
  scene.onBranch(`path ${wire.url.slice(ORIGIN.length)}`)
  const answer = await send(scene, wire, { takesTime: false })
  if (answer === undefined) return 'never answered'
  const { calls, events } = takeCourse(scene.stage, answer)
  if (calls.length + events.length > 0) return 'a route without a job ran something'
  const due = dueStatus(scene.stage.mode, method, pathname)
  if (answer.status !== due) return `${method} ${pathname} was answered ${answer.status} where ${due} was due`
  if (method === 'HEAD' || due === 204)
    return answer.text === '' ? undefined : `${due} to ${method} with a body`
  const leak = findLeak(answer.text, false)
  if (leak !== undefined) return leak
  if (due === 200) return refuseGet(pathname, scene.stage.declaration.name, answer.text)
  return refuseAnswer(answer)
}

function dueStatus(mode: string, method: string, path: string): number {
  if (!GETS.has(path) && path !== '/execute') return 404
  if (method === 'OPTIONS') return 204
  if (path !== '/execute') return method === 'GET' || method === 'HEAD' ? 200 : 405
  if (method !== 'POST') return 405
  return mode === 'dev' ? 400 : 402
}

function refuseGet(path: string, name: string, text: string): string | undefined {
  const body = readObject(text)
  if (body?.['name'] !== name) return `${path} does not name the agent`
  const keys = Object.keys(body).sort().join()
  const due =
    path === '/health'
      ? 'name,status,version'
      : 'capabilities,description,max_deadline_seconds,name,service_version,wallet'
  return keys === due ? undefined : `the keys of ${path} are ${keys}`
}
