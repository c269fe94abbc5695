/** Descriptions and examples for the API document. */
export const settingsDocumentation = {
  listTexts: {
    description:
      'Every language has all texts. `own` names the texts that a file of `texts.directory` replaces; the answering node has read the ' +
      'file at its start. `missing` names the texts that are replaced in another language but not in this one.',
    example: {
      response: {
        directory: '/etc/gatehouse/texts',
        languages: [{ language: 'en', sections: [{ section: 'pages', own: ['signIn.title'], missing: [] }] }],
      },
    },
  },
  listSettings: {
    description:
      'In the order of the documentation of the configuration. The value of a secret is never shown, only whether it is set. The ' +
      'password in an address is not shown either. Each node answers for itself. The database wins over the defaults; file, ' +
      'environment and options of the command line win over the database. `isLocked` says that one of these sets the key, and `from` ' +
      'names it. The `ETag` identifies the version of the stored settings.',
    example: {
      response: {
        version: 3,
        settings: [
          {
            ...{ key: 'sessions.freshAgeSeconds', description: 'Age up to which a session is fresh.', type: 'integer' },
            ...{ options: null, value: 3600, default: 86400, isSecret: false, isSet: true, source: 'environment' },
            ...{ from: 'GATEHOUSE_SESSIONS_FRESH_AGE_SECONDS', variable: 'GATEHOUSE_SESSIONS_FRESH_AGE_SECONDS' },
            ...{ isRuntime: true, isLocked: true, weakened: 'higher', stored: null },
          },
        ],
      },
    },
  },
  updateSettings: {
    description:
      'The settings are checked together with those of file and environment. They are stored completely or not at all, and recorded ' +
      'with their old and new values. They are in effect on every node within a second, and on the answering node before it answers. ' +
      'A new mail server or provider is tested first; `force` stores it even if the test fails. A change that lowers security needs a ' +
      'recent proof of a person, and is refused to API keys. Nobody can give a role more permissions than they have.',
    example: {
      body: { set: { 'password.minLength': 12 }, unset: ['brand.color'] },
      response: {
        ...{ version: 4, isApplied: true, trials: [] },
        changes: [
          {
            ...{ key: 'password.minLength', isSecret: false, before: null, after: 12 },
            ...{ wasStored: false, isStored: true, lowersSecurity: false },
          },
        ],
      },
    },
  },
  trySettings: {
    description:
      'Connects to the mail server, and calls the provider. Stored secrets are used where the change contains none. A change that ' +
      'would lower security needs the same recent proof here, and is refused to API keys.',
  },
  revertSettings: {
    description:
      'This is a change like any other: it is checked, tested and recorded, and gets a version of its own. Version 0 is the state ' +
      'before the first change.',
  },
}
