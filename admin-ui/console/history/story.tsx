import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { explanationContract } from '../../../src/authentication/explanation/contract.ts'
import type { WireApi } from '../../../src/http/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'
import { CopyField } from '../shared/copy-field.tsx'
import { Empty } from '../shared/empty.tsx'
import { Facts, Panel } from '../shared/facts.tsx'
import { Id } from '../shared/id.tsx'
import { Named } from '../shared/named.tsx'
import { useReasonName } from '../shared/reasons.ts'
import { RemedyLink } from '../shared/remedy.tsx'
import { useResourceAddress } from '../shared/resource-link.tsx'
import { useServerWords } from '../shared/server-words.tsx'
import { Time } from '../shared/time.tsx'
import '../styles/history.css'

type Explanation = Answer<WireApi<typeof explanationContract>['explainSignIn']>
type Entry = Explanation['entries'][number]

const tones = {
  'can-sign-in': 'good',
  'must-wait': 'warn',
  'cannot-sign-in': 'bad',
  'no-account': 'warn',
  unknown: 'plain',
} as const

const Remedy = ({ remedy }: { readonly remedy: string | null }) => {
  const { t } = useI18n()
  return remedy === null ? null : (
    <RemedyLink command={remedy} otherwise={<CopyField label={t('history.remedy')} value={remedy} />} />
  )
}

const Rule = ({ rule }: { readonly rule: string | null }) => {
  const { t } = useI18n()
  return rule === null ? null : (
    <p className="finding-remedy">
      {t('history.rule')}: <code>{rule}</code>
    </p>
  )
}

type Said = Pick<Explanation['verdict'], 'text' | 'code' | 'values'>

/** Returns a function that gives the text of a verdict or obstacle, with the names of sign-in methods in the reader's language. */
const useSaid = () => {
  const { told, list } = useI18n()
  const wordsOf = useServerWords()
  return ({ text, code, values: { ways, ...values } }: Said) => {
    const named = String(ways ?? '')
      .split(', ')
      .map((way) => told(`verdictWays.${way}`) ?? way)
    return wordsOf(`verdicts.${code}`, { ...values, ways: list(named) }, text)
  }
}

/** Says whether the person could sign in now, and what prevents it. */
export const Verdict = ({ verdict, call }: { readonly verdict: Explanation['verdict']; readonly call: ReactNode }) => {
  const { t } = useI18n()
  const said = useSaid()
  return (
    <Panel title={t('history.now')} actions={call}>
      <ul className="findings">
        <li className="finding">
          <span className="finding-state">
            <Badge tone={tones[verdict.outcome]}>{t(`history.outcome.${verdict.outcome}`)}</Badge>
          </span>
          <p className="break">{said(verdict)}</p>
        </li>
        {verdict.obstacles.map((obstacle) => (
          <li key={obstacle.text} className="finding">
            <span />
            <div className="story-text">
              <p className="break">{said(obstacle)}</p>
              <Rule rule={obstacle.rule} />
              <Remedy remedy={obstacle.remedy} />
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

const Who = ({ name, home }: { readonly name: string; readonly home: string | undefined }) =>
  home === undefined ? name : <Link to={home}>{name}</Link>

/** The present state of the account that the explanation is about. */
export const Account = ({ account }: { readonly account: NonNullable<Explanation['account']> }) => {
  const { t, list } = useI18n()
  const home = useResourceAddress()('user', account.id)
  const ways = [
    ...(account.hasPassword ? [t('history.password')] : []),
    ...(account.passkeys > 0 ? [t('history.passkeys', { count: account.passkeys })] : []),
    ...account.providers,
  ]
  return (
    <Panel title={t('history.account')}>
      <Facts
        rows={[
          [t('history.person'), <Who key="who" name={`${account.name} · ${account.email}`} home={home} />],
          [t('history.role'), <code key="role">{account.role}</code>],
          [t('history.verified'), t(account.emailVerified ? 'console.yes' : 'console.no')],
          [t('history.ways'), ways.length === 0 ? t('console.none') : list(ways)],
          [t('history.banned'), account.banned ? (account.banReason ?? t('console.yes')) : undefined],
        ]}
      />
    </Panel>
  )
}

/** The text of an event in the reader's language. The actor is shown beside the text. */
const EventText = ({ said, text, reason }: Pick<Entry, 'said' | 'text' | 'reason'>) => {
  const { t, told, list } = useI18n()
  const wordsOf = useServerWords()
  const { ways, ...values } = said?.values ?? {}
  const named = [
    ...new Set(
      String(ways ?? '')
        .split(', ')
        .map((way) => told(`eventWays.${way === '' ? 'other' : way}`) ?? way),
    ),
  ]
  const words =
    said === null
      ? text
      : wordsOf(`events.${said.code}`, { ...values, ...(ways === undefined ? {} : { how: list(named) }) }, text)
  return (
    <p className="break">
      {words}
      {reason === null ? null : ` ${t('events.reason', { reason })}`}
    </p>
  )
}

const StoryEntry = ({ entry }: { readonly entry: Entry }) => {
  const { t } = useI18n()
  const reasonOf = useReasonName()
  const { kind, what, text, detail, rule, remedy, attempts, lastAt, user, actor, application, address, requestId } = entry
  return (
    <li className="finding">
      <span className="finding-state">
        <Badge tone={kind === 'failure' ? 'bad' : 'plain'}>{t(kind === 'failure' ? 'history.failed' : 'history.happened')}</Badge>
      </span>
      <div className="story-text">
        {kind === 'failure' ? (
          <p className="break">{[reasonOf(what), ...(detail === null ? [] : [detail])].join(' · ')}</p>
        ) : (
          <EventText said={entry.said} text={text} reason={entry.reason} />
        )}
        <p className="finding-remedy event-named">
          <Time at={lastAt} exact />
          {attempts > 1 ? <span>{t('history.attempts', { count: attempts })}</span> : null}
          <code>{what}</code>
          {user === null || user.name === null ? null : <Named of={user} />}
          {application === null ? null : <Named of={application} />}
          {actor === null || actor.id === user?.id ? null : (
            <span>
              {t('console.by')} <Named of={actor} />
            </span>
          )}
          {address === '' ? null : <code>{address}</code>}
          {requestId === '' ? null : <Id id={requestId} />}
        </p>
        <Rule rule={rule} />
        <Remedy remedy={remedy} />
      </div>
    </li>
  )
}

/** The events of the explanation, newest first, because people ask about their latest attempt. */
export const Story = ({ entries, isCut }: Pick<Explanation, 'entries' | 'isCut'>) => {
  const { t } = useI18n()
  return (
    <Panel title={t('history.story')} {...(isCut ? { actions: <span>{t('history.cut')}</span> } : {})}>
      {entries.length === 0 ? (
        <Empty icon="clock" title={t('history.storyEmpty')} text={t('history.storyEmptyText')} />
      ) : (
        <ol className="findings">
          {entries.toReversed().map((entry) => (
            <StoryEntry key={entry.id} entry={entry} />
          ))}
        </ol>
      )}
    </Panel>
  )
}
