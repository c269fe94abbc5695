/** What the API document says besides the contract. */
export const settingsDocumentation = {
  listSettings: {
    description:
      'In the order of the documentation of the configuration. A secret is set or not set, its value is never shown, and neither is a ' +
      'password within an address. Of several nodes each answers for itself.',
    example: {
      response: {
        settings: [
          {
            ...{ key: 'sessions.freshAgeSeconds', description: 'Age up to which a session is fresh.', type: 'integer' },
            ...{ value: 3600, default: 86400, isSecret: false, isSet: true, source: 'environment' },
            ...{ from: 'GATEHOUSE_SESSIONS_FRESH_AGE_SECONDS', variable: 'GATEHOUSE_SESSIONS_FRESH_AGE_SECONDS' },
          },
        ],
      },
    },
  },
}
