import { hostnameOf, isThisMachine } from '@farebox/protocol/internal/connection/this-machine'
import type { IncomingHttpHeaders } from 'node:http'
import { lastFailure, type Answer } from '../answer/answer.ts'

/**
 * The refusal of a request that comes from a page of another host, or under a name that is not this machine's: while
 * `farebox dev` listens on loopback, any page in its developer's browser could reach it, also by a name of its own
 * that it lets point here (DNS rebinding). A request without an `Origin`, as by `curl`, comes from no page.
 */
export function refuseForeign({ host, origin }: IncomingHttpHeaders): Answer | undefined {
  if (host !== undefined && !isThisMachine(hostnameOf(`http://${host}`)))
    return refuse(`Host: must be this machine, like localhost, got ${quote(host)}`)
  if (origin !== undefined && !isThisMachine(hostnameOf(origin)))
    return refuse(`Origin: must be a page of this machine, like http://localhost:8080, got ${quote(origin)}`)
  return undefined
}

const MAX_SHOWN_CHARACTERS = 100

function refuse(reason: string): Answer {
  return lastFailure(
    'validation',
    403,
    `${reason}: farebox dev serves its own machine alone; --host 0.0.0.0 serves others`,
  )
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, MAX_SHOWN_CHARACTERS))
}
