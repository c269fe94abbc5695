import { use } from 'react'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { NewAccountForm } from '../new-account.tsx'
import { Card, Heading } from '../shell.tsx'

const NoLink = ({ missing }: { readonly missing: boolean }) => {
  const { t } = useI18n()
  return (
    <Card>
      <span className="emblem">
        <Icon name="key" size={26} />
      </span>
      <Heading title={t(missing ? 'setup.missingTitle' : 'setup.usedTitle')}>
        {t(missing ? 'setup.missing' : 'setup.used')}
      </Heading>
      <pre className="command">
        <code>gatehouse create-setup-link</code>
      </pre>
      <p className="card-foot">
        <a href="/sign-in">{t('common.toSignIn')}</a>
      </p>
    </Card>
  )
}

export const SetupPage = () => {
  const { api, resources } = useHosted()
  const { t } = useI18n()
  const link = use(resources.setupLink())
  const settings = use(resources.settings())
  useTitle(t('setup.title'))
  if (link === 'none' || !link.valid) return <NoLink missing={link === 'none'} />
  return (
    <Card>
      <Heading title={t('setup.title')}>{t('setup.lead')}</Heading>
      <NewAccountForm
        settings={settings}
        label={t('setup.submit')}
        working={t('setup.working')}
        create={async (account) => {
          await api.setup.complete({ body: { token: link.token, ...account } })
          location.replace('/account')
        }}
      />
    </Card>
  )
}
