/** How a platform's session cookie is named and set, which follows from its public URL. */
export interface SessionCookie {
  readonly name: string
  /** The `set-cookie` of a session that lives so long. */
  set(token: string, maxAgeSeconds: number): string
  /** The `set-cookie` that takes it away. */
  clear(): string
  /** The token in a `cookie` header, or undefined. */
  read(header: string | undefined): string | undefined
}

/**
 * The cookie of the browser's session: `__Host-`, so that no subdomain and no plain http page can set or read it; over
 * http, which the local mode alone has, browsers refuse that name and it goes by a plain one.
 */
export function sessionCookie(publicUrl: string): SessionCookie {
  const secure = publicUrl.startsWith('https:')
  const name = secure ? '__Host-farebox_session' : 'farebox_session'
  const attributes = `Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
  return {
    name,
    set: (token, maxAgeSeconds) => `${name}=${token}; ${attributes}; Max-Age=${maxAgeSeconds}`,
    clear: () => `${name}=; ${attributes}; Max-Age=0`,
    read: header => readCookie(header, name),
  }
}

function readCookie(header: string | undefined, name: string): string | undefined {
  const values = (header ?? '')
    .split(';')
    .map(pair => pair.trim())
    .filter(pair => pair.startsWith(`${name}=`))
    .map(pair => pair.slice(name.length + 1))
  // Two of one name: somebody else set the second, and nobody knows which.
  return values.length === 1 ? values[0] : undefined
}
