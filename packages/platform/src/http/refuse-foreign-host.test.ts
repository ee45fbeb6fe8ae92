import { expect, test } from 'vitest'
import { refuseForeignHost } from './refuse-foreign-host.ts'

const PUBLIC = 'http://box.example:4000'

test.each(['localhost:4000', 'LOCALHOST', '127.0.0.1:4000', '[::1]:4000', 'box.example:4000'])(
  '%s is accepted as a name of this machine',
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
])('%s is refused as a foreign name', host => {
  expect(() => refuseForeignHost(host, PUBLIC)).toThrow('host: must be localhost or 127.0.0.1')
})
