import { MAX_BODY_DEPTH, MAX_RESPONSE_BYTES } from '@farebox/protocol/limits'
import { nestsDeeperThan } from '@farebox/protocol/internal/guards/json-depth'

/**
 * The reason why this may not be the body of a 200 (D39): it is larger or deeper than readers accept. Undefined when it
 * may be saved, charged for and sent. The reason states the size.
 *
 * @param body the complete response as UTF-8 JSON
 */
export function refuseResponse(body: Uint8Array): string | undefined {
  if (body.length > MAX_RESPONSE_BYTES)
    return `must be at most ${MAX_RESPONSE_BYTES} bytes with all around it, got ${body.length}`
  if (nestsDeeperThan(body, MAX_BODY_DEPTH))
    return `must be nested at most ${MAX_BODY_DEPTH} deep with all around it, in ${body.length} bytes`
  return undefined
}
