/** Descriptions and examples of the API document. */
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
      'password within an address. Of several nodes each answers for itself. The database is above the defaults and below file, environment and ' +
      'options of the command line: `isLocked` says that one of these wins, `from` which. The `ETag` names the version of what is stored.',
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
      'Checked as a whole, together with what file and environment set; stored all or nothing, recorded with old and new value, and in effect on ' +
      'every node within a second: on the node that answers when it answers. A new mail server or provider is tried first; `force` keeps it anyway. ' +
      'A change that lowers security needs a recent proof of a person, and is refused to API keys. Nobody gives a role more than they have.',
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
      'Connects to the mail server, and asks the provider, with the secrets that are stored where the change has no others. What would lower ' +
      'security when it is stored needs the same recent proof here, and is refused to API keys.',
  },
  revertSettings: {
    description:
      'A change like any other: checked, tried, recorded, and a version of its own. Version 0 is before the first change.',
  },
}
