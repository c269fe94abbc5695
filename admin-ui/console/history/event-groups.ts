/** What events are about, as their types begin; a test holds it against the types of events that there are. */
export const eventGroups: readonly string[] = [
  ...['api_key', 'backup', 'billing', 'client', 'consent', 'customer', 'delivery', 'endpoint', 'events', 'grant', 'instance'],
  ...[
    'invitation',
    'keys',
    'mail',
    'member',
    'organization',
    'provider',
    'recovery',
    'recovery_code',
    'recovery_codes',
    'second_factor',
  ],
  ...['session', 'task', 'team', 'totp', 'user'],
]
