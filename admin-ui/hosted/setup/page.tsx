import { use } from 'react'
import { setupContract } from '../../../src/setup/contract.ts'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { userNameField } from '../extra-fields.tsx'
import { NewAccountForm } from '../new-account.tsx'
import { Card, Heading } from '../shell.tsx'

const advice = {
  missing: { title: 'setup.missingTitle', text: 'setup.missing', command: 'gatehouse create-setup-link' },
  used: { title: 'setup.usedTitle', text: 'setup.used', command: 'gatehouse create-setup-link' },
  done: { title: 'setup.doneTitle', text: 'setup.done', command: 'gatehouse list-users --role admin' },
} as const

const NoLink = ({ why }: { readonly why: keyof typeof advice }) => {
  const { t } = useI18n()
  const { title, text, command } = advice[why]
  return (
    <Card>
      <span className="emblem">
        <Icon name="key" size={26} />
      </span>
      <Heading title={t(title)}>{t(text)}</Heading>
      <pre className="command">
        <code>{command}</code>
      </pre>
      <p className="card-foot">
        <a href="/sign-in">{t('common.toSignIn')}</a>
      </p>
    </Card>
  )
}

export const SetupPage = () => {
  const { api, resources } = useHosted()
  const i18n = useI18n()
  const { t } = i18n
  const link = use(resources.setupLink())
  const settings = use(resources.settings())
  useTitle(t('setup.title'))
  if (link === 'none') return <NoLink why="missing" />
  if (link.administratorExists) return <NoLink why="done" />
  if (!link.valid) return <NoLink why="used" />
  return (
    <Card>
      <Heading title={t('setup.title')}>{t('setup.lead')}</Heading>
      <NewAccountForm
        settings={settings}
        label={t('setup.submit')}
        working={t('setup.working')}
        fields={userNameField(settings, i18n)}
        create={async ({ fields, ...account }) => {
          await api.of(setupContract).complete({ body: { token: link.token, ...fields, ...account } })
          // The setup is done. The first screen of the console lists the next steps.
          location.replace('/admin')
        }}
      />
    </Card>
  )
}
