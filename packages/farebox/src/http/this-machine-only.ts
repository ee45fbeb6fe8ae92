import { hostnameOf, isThisMachine } from '@farebox/protocol/internal/connection/this-machine'
import type { IncomingHttpHeaders } from 'node:http'
import { lastFailure, type Answer } from '../answer/answer.ts'

/**
 * Refuses a request from a page of another host, or under a host name that is not this machine's. While `farebox dev`
 * listens on loopback, any page in the developer's browser could send requests to it, also under its own name that it
 * points to this machine (DNS rebinding). A request without an `Origin` header, such as one by `curl`, does not come
 * from a page.
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
