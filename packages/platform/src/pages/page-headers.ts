const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // Wallets bring their icons as data: URLs (EIP-6963); an image that an agent made is shown from a blob.
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  // Nobody may vouch for a text: nothing here makes markup or scripts out of one.
  "trusted-types 'none'",
]

const DENIED = ['camera', 'geolocation', 'microphone', 'payment', 'usb', 'serial', 'display-capture']

/** What every page is sent with: no inline script or style, nothing from elsewhere, in nobody's frame. */
export const PAGE_HEADERS: { readonly [name: string]: string } = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': POLICY.join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': [...DENIED.map(name => `${name}=()`), 'clipboard-write=(self)'].join(', '),
  // Kept by the browser's own way back, and by nobody else.
  'cache-control': 'private, no-cache',
  vary: 'accept, accept-encoding, cookie',
}
