import type { JsonOrigin } from '@farebox/payments/src/http/http-json'
import { currentWorld } from './current-world.ts'

/** Stands in for `@farebox/payments/src/http/http-json`: the pool of connections becomes the history's network. */
export function createJsonOrigin(url: string): JsonOrigin {
  return currentWorld().openOrigin(url)
}
