/// <reference types="vite/client" />

import documentation from '../../../../docs/reference/config.md?raw'
import { settingsContract } from '../../../../src/settings/contract.ts'
import type { Answers } from '../../state.ts'
import type { Amount } from '../made-up.ts'
import type { Wire } from '../typed.ts'
import { says } from '../typed.ts'

type Setting = Wire<typeof settingsContract, 'listSettings'>['settings'][number]

const secrets = /^(secret|databaseUrl|smtpUrl)$|\.(clientSecret|token|password)$/

const defaultOf = (text: string, type: string): Setting['value'] => {
  if (text === '') return null
  if (/integer|number|boolean|object|array/.test(type) && /^[\d[{tf]/.test(text)) return JSON.parse(text)
  return text
}

/** All configuration keys of the generated documentation, with their defaults. */
const defaults: readonly Setting[] = [
  ...documentation.matchAll(/^\| `([^`]+)` \| `([^`]+)`[^|]*\| ([^|]+) \| ([^|]*) \| ([^|]*) \| ([^\n]*) \|$/gm),
].map(([, key = '', variable = '', type = '', given = '', change = '', description = '']) => {
  const value = defaultOf(given.trim().replaceAll('`', ''), type)
  const isSecret = secrets.test(key)
  return {
    ...{ key, variable, type, description, isSecret },
    ...{ value: isSecret ? null : value, default: isSecret ? null : value, isSet: false, source: 'default', from: null },
    ...{ options: null, isRuntime: change !== 'restart', isLocked: false, weakened: 'never', stored: null },
  }
})

const changes: Readonly<Record<string, Setting['value']>> = {
  'brand.name': 'Northwind International Holdings Incorporated (Europe, Middle East and Africa)',
  'brand.color': '#0b1f4d',
  'passkeys.offerAfterSignIn': 'always',
  'secondFactor.requiredFor': ['admin', 'auditor', 'support'],
  trustedOrigins: ['https://shop.northwind.example', 'https://*.customers.northwind-international-holdings.example'],
  smtpUrl: null,
  'sessions.expiresInSeconds': 1_209_600,
  'accounts.signUpEnabled': false,
  'organizations.creation': 'verified',
}

/** The settings, some of which are changed. With `many`, the environment sets them, which locks them. */
export const settingsOf = (amount: Amount): readonly Setting[] => {
  const source = amount === 'many' ? 'environment' : 'file'
  const changed = Object.keys(changes).slice(0, { empty: 0, few: 3, many: 99 }[amount])
  return defaults.map((setting) =>
    changed.includes(setting.key)
      ? {
          ...setting,
          ...{ value: changes[setting.key] ?? null, isSet: true, source },
          from: amount === 'many' ? setting.variable : '/etc/gatehouse/gatehouse.yaml',
          isLocked: true,
        }
      : setting,
  )
}

export const settingsAnswer = (amount: Amount, search = '', most?: number): Answers =>
  says(settingsContract, 'listSettings', {
    version: 0,
    settings: settingsOf(amount)
      .filter(({ key }) => key.startsWith(search))
      .slice(0, most),
  })
