import { lengthOf } from './new-password-checks.ts'
import { useI18n } from './text.tsx'

/** Beginnings of some common passwords, for the hint during typing. The server knows thousands of passwords. */
const common =
  /passw|qwert|asdf|letmein|welcome|admin|iloveyou|dragon|monkey|football|abc123|12345|11111|00000|secret|login|changeme/i

/** The strength of a password from 1 (easy to guess) to 4 (strong). Length counts most, and then the number of different characters. */
export const strengthOf = (password: string, personal: readonly string[]): 1 | 2 | 3 | 4 => {
  const lower = password.toLowerCase()
  const parts = personal.flatMap((text) => text.toLowerCase().split(/[\s@.]+/)).filter((part) => part.length > 3)
  const rest = parts.reduce((text, part) => text.replaceAll(part, ''), lower).replace(common, '')
  const kinds = [/\p{Ll}/u, /\p{Lu}/u, /\p{Nd}/u, /[^\p{L}\p{Nd}]/u].filter((kind) => kind.test(password)).length
  const score = Math.min(lengthOf(rest), new Set(rest).size * 1.6) + kinds
  if (score < 8) return 1
  if (score < 12) return 2
  return score < 16 ? 3 : 4
}

const words = { 1: 'strength.weak', 2: 'strength.fair', 3: 'strength.good', 4: 'strength.strong' } as const

interface StrengthProps {
  readonly password: string
  readonly min: number
  /** Words about the person that others would try as a password. */
  readonly personal: readonly string[]
}

/** The line below a new password. It shows the rule, then the missing part, and finally the strength. */
export const PasswordHint = ({ password, min, personal }: StrengthProps) => {
  const { t } = useI18n()
  if (password === '') return t('field.passwordRule', { count: min })
  const missing = min - lengthOf(password)
  const level = missing > 0 ? 0 : strengthOf(password, personal)
  return (
    <span className="strength" role="status">
      <span className={`strength-bar strength-${level}`} aria-hidden="true" />
      {level === 0 ? t('strength.short', { count: missing }) : t(words[level])}
    </span>
  )
}
