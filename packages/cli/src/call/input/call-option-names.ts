/** The options of `farebox call`: fields of the same names are given by `--field`. */
export const CALL_OPTIONS: readonly string[] = [
  'input',
  'field',
  'max-price',
  'network',
  'wallet',
  'password-file',
  'rpc-url',
  'deadline',
  'allow-http',
  'dry-run',
  'resume',
  'list',
  'json',
  'help',
]
