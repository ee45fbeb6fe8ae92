import { SIGNED_IN_COOKIE } from '@farebox/platform-api/internal/me/signed-in-cookie'

/** A cookie of the platform. Its name and attributes follow from the public URL. */
export interface PlatformCookie {
  readonly name: string
  /** The `set-cookie` headers that set this value for this many seconds. */
  set(value: string, maxAgeSeconds: number): string[]
  /** The `set-cookie` headers that delete the cookie. */
  clear(): string[]
  /** The value in a `cookie` header; undefined when there is none. */
  read(header: string | undefined): string | undefined
}

/**
 * The cookie of a browser's session. With `SameSite=Lax`, a user who follows a link from another site is signed in. A
 * second cookie, which scripts can read, lets pages see without a request that no user is signed in.
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
 * Creates a cookie that scripts cannot read. The prefix `__Host-` prevents subdomains and plain http pages from setting
 * or reading it. Browsers refuse that prefix over http, which only local mode uses, so the plain name is used there.
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
  // With two cookies of one name, one was set by another site and the two cannot be told apart, so both are ignored.
  return values.length === 1 ? values[0] : undefined
}
