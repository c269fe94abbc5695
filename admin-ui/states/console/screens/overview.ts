import { setupStepContract } from '../../../../src/setup/contract.ts'
import { statisticsContract } from '../../../../src/statistics/contract.ts'
import type { Answers } from '../../state.ts'
import type { ScreenCase } from '../case.ts'
import type { Amount } from '../made-up.ts'
import { idOf, times } from '../made-up.ts'
import type { Wire } from '../typed.ts'
import { says, together } from '../typed.ts'
import { applicationList, namedApplications } from './applications.ts'
import { mailAnswers } from './mail.ts'
import { settingsAnswer } from './settings.ts'
import { checksOf } from './system.ts'
import { userAnswers } from './users.ts'

type Statistics = Wire<typeof statisticsContract, 'statistics'>
type Series = Statistics['series'][number]

const dayMs = 86_400_000
const length = 30
const dayOf = (ago: number): string => new Date(Math.floor(Date.now() / dayMs) * dayMs - ago * dayMs).toISOString().slice(0, 10)

/** Numbers that rise and fall with the days of the week. */
const wave = (most: number, shift: number): number[] =>
  times(length, (day) => Math.round(most * (0.55 + 0.45 * Math.sin(day / 1.1 + shift)) * ((day + shift) % 7 > 4 ? 0.3 : 1)))

const series = (measure: Series['measure'], key: string, values: number[], isHighest = false): Series => ({
  ...{ measure, key, values },
  total: isHighest ? Math.max(0, ...values) : values.reduce((sum, one) => sum + one, 0),
})

const reasons = [
  'wrong-password',
  'unknown-address',
  'second-factor-missing',
  'throttled',
  'address-not-verified',
  'banned',
  'provider-refused',
  '*',
]
const methods = ['password', 'passkey', 'federated', 'mail-link', 'mail-code', '*']

const seriesOf = (amount: Amount): Series[] => {
  if (amount === 'empty') return []
  const isMany = amount === 'many'
  const most = isMany ? 120_000 : 9
  return [
    ...methods.slice(0, isMany ? 6 : 2).map((key, index) => series('signIns', key, wave(most / (index + 1), index))),
    series('providerSignIns', 'google', wave(most / 3, 3)),
    ...reasons.slice(0, isMany ? 8 : 1).map((key, index) => series('failedSignIns', key, wave(most / 8 / (index + 1), index))),
    series('signUps', '', wave(most / 20, 2)),
    ...times(isMany ? 8 : 1, (index) =>
      series('applicationPeople', index === 7 ? '*' : idOf('cli', index), wave(most / (index + 2), index)),
    ),
    series('mails', 'sent', wave(most / 2, 1)),
    ...(isMany ? [series('mails', 'failed', wave(most / 90, 3))] : []),
    series('queueLag', 'mails.send', wave(isMany ? 9_000 : 2, 4), true),
    series('webhookLag', 'polar', wave(isMany ? 700 : 1, 5), true),
  ]
}

export const statisticsOf = (amount: Amount): Statistics => {
  const people = { empty: 0, few: 7, many: 84_210 }[amount]
  const spans = (days: number, count: number) =>
    times(count, (index) => ({
      from: dayOf((count - index) * days - 1),
      to: dayOf((count - index - 1) * days),
      people: Math.round(people * (0.6 + 0.4 * Math.sin(index))),
    }))
  return {
    from: dayOf(length - 1),
    to: dayOf(0),
    days: times(length, (index) => dayOf(length - 1 - index)),
    zone: 'Europe/Berlin',
    countedSince: dayOf(amount === 'many' ? 400 : 12),
    utcUntil: amount === 'many' ? dayOf(12) : null,
    series: seriesOf(amount),
    activePeople: { byDay: spans(1, length), byWeek: spans(7, 5), byMonth: spans(30, 2) },
    eventsBehind: amount === 'many' ? 104_233 : 0,
  }
}

const stepStates: Readonly<Record<Amount, readonly ('done' | 'open' | 'locked' | 'dismissed')[]>> = {
  empty: times(7, () => 'open' as const),
  few: ['done', 'locked', 'done', 'open', 'open', 'dismissed', 'open'],
  many: times(7, () => 'done' as const),
}
const stepNames = ['brand', 'mail', 'application', 'test-sign-in', 'colleague', 'second-factor', 'backup']

const stepsOf = (amount: Amount) =>
  says(setupStepContract, 'listSetupSteps', {
    steps: stepStates[amount].map((state, index) => ({
      ...{ name: stepNames[index] ?? '', state, lockedBy: state === 'locked' ? '/etc/gatehouse/gatehouse.yaml' : null },
      subject: stepNames[index] === 'test-sign-in' && amount === 'few' ? idOf('cli', 1) : null,
    })),
  })

const answersOf = (amount: Amount): Answers =>
  together(
    checksOf(amount),
    says(statisticsContract, 'statistics', statisticsOf(amount)),
    applicationList(amount),
    namedApplications(7),
    mailAnswers(amount),
    settingsAnswer(amount),
    userAnswers(amount),
    stepsOf(amount),
  )

export const overviewCases: readonly ScreenCase[] = [{ pattern: '/admin/overview', answers: answersOf }]
