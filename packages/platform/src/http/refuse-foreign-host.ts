import { Refusal } from './refusal.ts'

/** The names of the loopback interface. */
const OWN = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Refuses a request whose `Host` header does not name this machine. Another site could otherwise point its own name at this
 * machine (DNS rebinding), so that its pages count as the platform's. Used in local mode, where the platform gives test
 * money to any caller.
 *
 * @param publicUrl the platform's own URL
 * @throws {Refusal} `forbidden`
 */
export function refuseForeignHost(host: string | undefined, publicUrl: string): void {
  const name = /^(\[[^\]]*\]|[^:[\]]*)(?::\d*)?$/.exec(host ?? '')?.[1]?.toLowerCase() ?? ''
  if (OWN.has(name) || name === new URL(publicUrl).hostname) return
  throw new Refusal(
    'forbidden',
    'host: must be localhost or 127.0.0.1, or the name in PLATFORM_PUBLIC_URL: this platform is in local mode',
  )
}
