import { readableSecret } from '../core/master-secret.ts'
import { type Base, defineFeature } from '../feature.ts'
import { secretCheck } from './check.ts'
import { secretCommands } from './cli.ts'
import { secretErrors, secretEvents } from './contract.ts'
import { createMasterSecrets, type MasterSecrets } from './service.ts'

export type { MasterSecrets }

/** Manages the master secrets of this instance: which one seals, which ones only open, and how many values each has sealed. */
export const secretsFeature = defineFeature({
  name: 'secrets',
  errors: secretErrors.table,
  events: secretEvents,
  commands: [secretCommands],
  build: (base: Base, config: { readonly secret: readonly string[]; readonly dataDir: string }) => {
    const masterSecrets = createMasterSecrets({ ...base, columns: base.sealedColumns })
    return {
      api: { masterSecrets },
      prepare: masterSecrets.start,
      checks: [secretCheck({ masterSecrets, remedies: base.remedies, readable: () => readableSecret(config) })],
      jobs: [{ name: 'secrets.note', everyMs: 60_000, run: masterSecrets.refresh }],
    }
  },
})
