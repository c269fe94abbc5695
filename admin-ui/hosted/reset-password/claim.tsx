import { Text, useI18n } from '../../shared/text.tsx'
import type { StrangersAccount } from '../links.ts'
import '../more.css'

/**
 * Lists what an account contains that somebody else made with the person's email address. The person would get it all by taking the
 * account over.
 */
const Holdings = ({ account: { organizations, apiKeys, invitations } }: { readonly account: StrangersAccount }) => {
  const { t } = useI18n()
  if (organizations.length === 0 && apiKeys === 0 && invitations === 0) return <p className="quiet">{t('reset.claim.nothing')}</p>
  return (
    <ul className="remaining">
      {organizations.map(({ name, memberCount }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two organizations may have the same name, and the list does not change.
        <li key={index} className="break">
          {name}
          <span className="quiet"> · {t('reset.claim.members', { count: memberCount })}</span>
        </li>
      ))}
      {apiKeys === 0 ? null : <li>{t('reset.claim.keys', { count: apiKeys })}</li>}
      {invitations === 0 ? null : <li>{t('reset.claim.invitations', { count: invitations })}</li>}
    </ul>
  )
}

const choices = ['start-fresh', 'take-over'] as const

/** Somebody else has made an account with this email address. Asks the owner of the address what to do with it. */
export const ClaimChoice = ({ account }: { readonly account: StrangersAccount }) => {
  const { t, date } = useI18n()
  const { email, createdAt, mayStartFresh } = account
  return (
    <fieldset className="claim">
      <legend className="remaining-title">{t('reset.claim.title')}</legend>
      <p>
        <Text id="reset.claim.text" values={{ email: <strong className="break">{email}</strong>, date: date(createdAt) }} />
      </p>
      <Holdings account={account} />
      {mayStartFresh ? (
        <div className="choices">
          {choices.map((choice) => (
            <label key={choice} className="choice">
              <input type="radio" name="account" value={choice} defaultChecked={choice === 'start-fresh'} />
              <span>
                <span className="choice-title">{t(`reset.claim.${choice}`)}</span>
                <span className="choice-hint">{t(`reset.claim.${choice}.hint`)}</span>
              </span>
            </label>
          ))}
        </div>
      ) : (
        <>
          <input type="hidden" name="account" value="take-over" />
          <p>{t('reset.claim.only')}</p>
        </>
      )}
    </fieldset>
  )
}
