import { canParseUrl } from '@farebox/protocol/internal/can-parse-url'
/**
 * An endpoint for display: international host names in their ASCII form (WEB-02), so that similar-looking names can be told
 * apart. Null when it is not a URL of http or https.
 */
export function shownEndpoint(endpoint: string | null | undefined): string | null {
  const given = endpoint ?? ''
  if (!canParseUrl(given)) return null
  const url = new URL(given)
  return ['https:', 'http:'].includes(url.protocol) ? url.href.replace(/\/$/, '') : null
}
