import { signInMethodContract } from '../../../src/authentication/methods/federated/linked-accounts/contract.ts'
import { passkeyContract } from '../../../src/authentication/methods/passkey/contract.ts'
import { Loaded, useLoader } from '../../shared/loading.tsx'
import { useI18n } from '../../shared/text.tsx'
import { useHosted } from '../context.tsx'
import { useAccount } from './context.ts'
import { Device } from './devices.tsx'
import { AccountLink, sectionRoutes } from './navigation.tsx'
import { Panel } from './section.tsx'

const passwordAccount = 'credential'

/** A panel that summarizes the account's sign-in methods. */
export const Ways = () => {
  const { api } = useHosted()
  const { t, list } = useI18n()
  const { settings, secondFactors } = useAccount()
  const ways = useLoader(async () => {
    const [accounts, passkeys] = await Promise.all([
      api.of(signInMethodContract).listAccounts(),
      api.of(passkeyContract).listUserPasskeys(),
    ])
    return { accounts, passkeys }
  })
  return (
    <Panel id="ways" title={t('account.signInMethods')}>
      <Loaded of={ways} rows={2}>
        {({ accounts, passkeys }) => {
          const hasPassword = accounts.some(({ provider }) => provider === passwordAccount)
          const linked = accounts.flatMap(({ provider: id }) =>
            id === passwordAccount ? [] : [settings.socialProviders.find((provider) => provider.id === id)?.name ?? id],
          )
          const facts = [
            ...(settings.emailPasswordEnabled
              ? [{ name: t('field.password'), value: t(hasPassword ? 'overview.set' : 'overview.none') }]
              : []),
            { name: t('passkeys.title'), value: list(passkeys.map(({ name }) => name)) || t('overview.none') },
            ...(settings.socialProviders.length + linked.length === 0
              ? []
              : [{ name: t('overview.linked'), value: list([...new Set(linked)]) || t('overview.none') }]),
            ...(secondFactors.value === undefined
              ? []
              : [{ name: t('twoStep.title'), value: t(secondFactors.value.isEnabled ? 'overview.on' : 'overview.off') }]),
          ]
          return (
            <dl className="facts">
              {facts.map(({ name, value }) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
          )
        }}
      </Loaded>
      <p className="rows-foot">
        <AccountLink path={sectionRoutes.signInMethods.path} className="row-change">
          {t('overview.manage')}
        </AccountLink>
      </p>
    </Panel>
  )
}

/** How many sessions at most are shown. */
const few = 3

/** A panel with the session of this device and the most recently used other sessions. */
export const Sessions = () => {
  const { api } = useHosted()
  const { t } = useI18n()
  const sessions = useLoader(() => api.sessions.listSessions())
  return (
    <Panel id="sessions" title={t('account.devices')}>
      <Loaded of={sessions} rows={few}>
        {(all) => (
          <ul className="rows">
            {[...all.filter(({ current }) => current), ...all.filter(({ current }) => !current)].slice(0, few).map((session) => (
              <Device key={session.id} session={session} />
            ))}
          </ul>
        )}
      </Loaded>
      <p className="rows-foot">
        <AccountLink path={sectionRoutes.devices.path} className="row-change">
          {t('overview.allDevices')}
        </AccountLink>
      </p>
    </Panel>
  )
}
