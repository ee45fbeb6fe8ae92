/** SHA-256 of a text's UTF-8 bytes, as 64 digits of lower-case hex. Works in browsers and in Node. */
export async function sha256Hex(text: string): Promise<string> {
  const node = nodeCrypto()
  if (node !== undefined) return node.createHash('sha256').update(text).digest('hex')
  const digest = await globalThis.crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), byte => byte.toString(16).padStart(2, '0')).join('')
}

/** Node's own hash takes a tenth of the time for short texts, because it does not use another thread. */
function nodeCrypto(): NodeCrypto | undefined {
  const { process } = globalThis as { readonly process?: { getBuiltinModule?(name: string): unknown } }
  return process?.getBuiltinModule?.('node:crypto') as NodeCrypto | undefined
}

interface NodeCrypto {
  createHash(algorithm: 'sha256'): { update(text: string): { digest(as: 'hex'): string } }
}
