import { expect, test } from 'vitest'
import { refuseForeignHost } from './refuse-foreign-host.ts'

const PUBLIC = 'http://box.example:4000'

test.each(['localhost:4000', 'LOCALHOST', '127.0.0.1:4000', '[::1]:4000', 'box.example:4000'])(
  '%s is this machine',
  host => {
    expect(() => refuseForeignHost(host, PUBLIC)).not.toThrow()
  },
)

test.each([
  'evil.example:4000',
  'localhost.evil.example',
  '127.0.0.1.evil.example:4000',
  '[::1].evil.example',
  '',
  undefined,
])('%s is somebody else’s name for it', host => {
  expect(() => refuseForeignHost(host, PUBLIC)).toThrow('host: must be localhost or 127.0.0.1')
})
