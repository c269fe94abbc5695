/** What the API document says besides the contract. */
export const settingsDocumentation = {
  listTexts: {
    description:
      'Every language has every text; `own` names those that a file of `texts.directory` says in other words, as the node that answers read it ' +
      'at its start. `missing` names those that another language says in its own words and this one does not.',
    example: {
      response: {
        directory: '/etc/gatehouse/texts',
        languages: [{ language: 'en', sections: [{ section: 'pages', own: ['signIn.title'], missing: [] }] }],
      },
    },
  },
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
