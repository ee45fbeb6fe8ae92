import type { RouteRecipe } from '../generate/recipe.ts'
import { readObject, refuseAnswer } from '../oracle/answer-table.ts'
import { findLeak } from '../oracle/foresee.ts'
import { ORIGIN } from './fuzz-stage.ts'
import { send, takeCourse, type RunScene } from './send-request.ts'

const GETS: ReadonlySet<string> = new Set(['/health', '/about'])

/** Asks for a path by a method, most of them nobody's, and judges by the table of routes (D15, D31). */
export async function runRoute(scene: RunScene, recipe: RouteRecipe): Promise<string | undefined> {
  const wire = { method: recipe.method, url: `${ORIGIN}${recipe.path}`, headers: [], body: undefined }
  const { method } = new Request(wire.url, { method: wire.method })
  const { pathname } = new URL(wire.url)
  scene.stage.calls.length = 0
  scene.onBranch(`method ${recipe.method}`)
  scene.onBranch(`path ${recipe.path}`)
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
