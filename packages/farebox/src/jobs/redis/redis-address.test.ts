import { expect, test } from 'vitest'
import { readRedisAddress } from './redis-address.ts'

test('D25 reads host, port, database, login, prefix and TLS, and names the store without the login', () => {
  expect(
    readRedisAddress('rediss://me%40home:p%2Fw@cache.example:7000/5?prefix=agents:echo&replicas=2'),
  ).toEqual({
    host: 'cache.example',
    port: 7000,
    database: 5,
    tls: true,
    username: 'me@home',
    password: 'p/w',
    prefix: 'agents:echo:',
    replicas: 2,
    name: 'rediss://cache.example:7000/5?prefix=agents:echo&replicas=2',
  })
})

test('D25 uses port 6379, database 0 and the prefix farebox: by default', () => {
  const login = { username: undefined, password: undefined }
  const silent = { port: 6379, database: 0, tls: false, ...login, prefix: 'farebox:', replicas: 0 }
  expect(readRedisAddress('redis://localhost')).toEqual({
    ...silent,
    host: 'localhost',
    name: 'redis://localhost:6379/0',
  })
  expect(readRedisAddress('redis://[::1]/')).toEqual({ ...silent, host: '::1', name: 'redis://[::1]:6379/0' })
})

test.each([
  'redis://',
  'redis://:secret@',
  'redis://user:secret@host:port',
  'redis://user:secret%zz@host',
  'redis://:secret@host/jobs',
  'redis://:secret@host/0?prefix=',
  'redis://:secret@host/0?prefix=secret and more',
  'redis://:secret@host/0?prefix=a&prefix=b',
  'redis://:secret@host/0?replicas=many',
  'redis://:secret@host/0?replicas=1&replicas=2',
  'redis://:secret@host/0?password=secret',
])('refuses %s without repeating it', setting => {
  const read = () => readRedisAddress(setting)
  expect(read).toThrow(/^SERVICE_STORE: /)
  expect(read).not.toThrow(/secret/)
})
