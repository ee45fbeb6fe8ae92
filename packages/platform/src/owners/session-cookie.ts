import { SIGNED_IN_COOKIE } from '@farebox/platform-api/internal/me/signed-in-cookie'

/** How a cookie of a platform is named and set, which follows from its public URL. */
export interface PlatformCookie {
  readonly name: string
  /** The `set-cookie` of a value that lives so long. */
  set(value: string, maxAgeSeconds: number): string[]
  /** The `set-cookie` that takes it away. */
  clear(): string[]
  /** The value in a `cookie` header, or undefined. */
  read(header: string | undefined): string | undefined
}

/**
 * The cookie of the browser's session. Links from elsewhere find their reader signed in. Beside it goes one that scripts
 * read, so that pages know without asking that nobody is signed in.
 */
export function sessionCookie(publicUrl: string): PlatformCookie {
  const session = platformCookie(publicUrl, 'farebox_session', 'Lax')
  const hint = (maxAgeSeconds: number): string =>
    `${SIGNED_IN_COOKIE}=1; Path=/; SameSite=Lax${isSecure(publicUrl) ? '; Secure' : ''}; Max-Age=${maxAgeSeconds}`
  return {
    name: session.name,
    set: (token, maxAgeSeconds) => [...session.set(token, maxAgeSeconds), hint(maxAgeSeconds)],
    clear: () => [...session.clear(), hint(0)],
    read: header => session.read(header),
  }
}

/** The cookie that binds a browser to the link of `farebox login --browser` that it opened. */
export function browserSignInCookie(publicUrl: string): PlatformCookie {
  return platformCookie(publicUrl, 'farebox_browser_sign_in', 'Strict')
}

/**
 * `__Host-`, so that no subdomain and no plain http page can set or read it; over http, which the local mode alone has,
 * browsers refuse that name and it goes by a plain one. No script reads it.
 */
function platformCookie(publicUrl: string, plainName: string, sameSite: 'Lax' | 'Strict'): PlatformCookie {
  const secure = isSecure(publicUrl)
  const name = secure ? `__Host-${plainName}` : plainName
  const attributes = `Path=/; HttpOnly; SameSite=${sameSite}${secure ? '; Secure' : ''}`
  return {
    name,
    set: (value, maxAgeSeconds) => [`${name}=${value}; ${attributes}; Max-Age=${maxAgeSeconds}`],
    clear: () => [`${name}=; ${attributes}; Max-Age=0`],
    read: header => readCookie(header, name),
  }
}

function isSecure(publicUrl: string): boolean {
  return publicUrl.startsWith('https:')
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
