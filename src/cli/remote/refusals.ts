/** The message of commands that need the machine of the database, because the API has no such call. */
export const localOnly =
  'this command works beside the database alone, since there is no call for it: run it where gatehouse runs, without --remote'

/** Commands that need no instance, or that are about an instance on this machine. They ignore GATEHOUSE_REMOTE. */
const ofThisMachine: Readonly<Record<string, string>> = {
  init: 'it writes the configuration of an instance on this machine',
  serve: 'it runs an instance on this machine',
  'check-config': 'it reads a configuration of this machine: config list shows the one of the instance',
}

/** Commands for which the API has no call. Each has a text about an alternative. */
export const besideDatabase: Readonly<Record<string, string>> = {
  migrate: 'the database has to be reached: a start migrates it, too (database.migrateOnStart)',
  backup: 'its file is written here: the console makes a backup and downloads it',
  restore: 'it fills an empty database, before there is an instance',
  prune: 'it takes a lock of the whole database: the queue does the same by itself',
  reencrypt: 'it needs the master secrets, which no instance gives',
  'import-breached': 'it writes a file beside the database',
  'verify-audit': 'it reads the copies in files of the instance: the console verifies the chain in the database',
  'rebuild-billing': 'it reads every delivery again while deliveries wait',
  'simulate-event': 'it signs with a secret of the endpoint, which no instance gives',
  'create-setup-link': 'it makes the first administrator, and callers of the API have one already',
}

/** Why a command cannot be used for an instance on another machine. Undefined if it can. `isTyped` is true if the option `--remote` was given. */
export const refusalOf = (command: string, isTyped: boolean): string | undefined => {
  const why = Object.hasOwn(besideDatabase, command)
    ? besideDatabase[command]
    : isTyped && Object.hasOwn(ofThisMachine, command)
      ? ofThisMachine[command]
      : undefined
  return why === undefined
    ? undefined
    : `${command} works beside the database alone: ${why}; or run it where gatehouse runs, without --remote`
}
