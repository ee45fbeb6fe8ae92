import { Refusal } from './refusal.ts'

/** Loopback, whatever it is called. */
const OWN = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Refuses a request that came under another name than this machine's own: a name of somebody else that was made to lead
 * here (DNS rebinding), so that a page of theirs counts as one of ours. For platforms in local mode, which give test money
 * to whoever asks.
 *
 * @param publicUrl what the platform itself says that it is called
 * @throws {Refusal}
 */
export function refuseForeignHost(host: string | undefined, publicUrl: string): void {
  const name = /^(\[[^\]]*\]|[^:[\]]*)(?::\d*)?$/.exec(host ?? '')?.[1]?.toLowerCase() ?? ''
  if (OWN.has(name) || name === new URL(publicUrl).hostname) return
  throw new Refusal(
    'forbidden',
    'host: must be localhost or 127.0.0.1, or the name in PLATFORM_PUBLIC_URL: this platform is in local mode',
  )
}
