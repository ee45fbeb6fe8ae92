const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // Wallets provide their icons as data: URLs (EIP-6963); images made by agents are shown from blob: URLs.
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  // No Trusted Types policy may be created, because the pages never make markup or scripts from a string.
  "trusted-types 'none'",
]

const DENIED = ['camera', 'geolocation', 'microphone', 'payment', 'usb', 'serial', 'display-capture']

/** The headers of every page: they forbid inline scripts and styles, resources from other origins, and framing. */
export const PAGE_HEADERS: { readonly [name: string]: string } = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': POLICY.join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': [...DENIED.map(name => `${name}=()`), 'clipboard-write=(self)'].join(', '),
  // Only the browser's own history may keep the page.
  'cache-control': 'private, no-cache',
  vary: 'accept, accept-encoding, cookie',
}
