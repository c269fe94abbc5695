import { use, useState } from 'react'
import { deviceContract } from '../../../src/oidc/device/contract.ts'
import { deviceOf, programOf } from '../../shared/device.ts'
import { Field } from '../../shared/field.tsx'
import { Form, FormEnd, useForm } from '../../shared/form.tsx'
import { Text, useI18n } from '../../shared/text.tsx'
import { Button, LinkButton, Notice } from '../../shared/ui.tsx'
import { ClientTile } from '../client.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { useDecision } from '../decision.ts'
import { MessageCard } from '../message-card.tsx'
import { Card, Heading } from '../shell.tsx'
import { type DeviceRequest, readDevice } from './request.ts'
import '../more.css'

/** Removes everything except letters from a typed user code. */
const lettersOf = (typed: string) => typed.replaceAll(/[^a-z]/gi, '')

interface AskProps {
  readonly isUnknown: boolean
  readonly onFound: (request: DeviceRequest) => void
}

/** Asks for the user code that the device shows. */
const Ask = ({ isUnknown, onFound }: AskProps) => {
  const { api, query } = useHosted()
  const { t } = useI18n()
  const state = useForm({
    api,
    fields: ['userCode'],
    check: ({ userCode }) => (lettersOf(userCode).length === 8 ? {} : { userCode: t('device.codeInvalid') }),
    atField: { DEVICE_CODE_NOT_FOUND: 'userCode' },
    submit: async ({ userCode }) => {
      onFound(await readDevice(api, userCode))
      return 'done'
    },
  })
  const { pending, waitSeconds, errors, attempt } = state
  const unknown = isUnknown && attempt === 0 ? t('serverError.DEVICE_CODE_NOT_FOUND') : undefined
  return (
    <Card>
      <Heading title={t('device.title')}>{t('device.lead')}</Heading>
      <Form state={state} working={t('device.looking')}>
        <Field
          name="userCode"
          label={t('device.code')}
          hint={t('device.codeHint')}
          autoComplete="off"
          maxLength={20}
          defaultValue={query.get('user_code')?.slice(0, 20) ?? ''}
          error={errors.userCode ?? unknown}
          autoFocus
        />
        <Button type="submit" working={pending} blocked={waitSeconds > 0}>
          {waitSeconds > 0 ? t('problem.tooManyWait', { count: waitSeconds }) : t('common.continue')}
        </Button>
      </Form>
    </Card>
  )
}

/** Names the browser and system, or the program, that asks for access. Undefined if it is unknown. */
const useProgram = (userAgent: string): string | undefined => {
  const { t } = useI18n()
  const device = deviceOf(userAgent)
  return device === undefined ? programOf(userAgent) : t('device.browserOn', device)
}

interface ConfirmProps {
  readonly request: DeviceRequest
  readonly onRefused: () => void
}

/** Shows the device that asks for access, and its network. The person compares them with the device in front of them. */
const Confirm = ({ request, onRefused }: ConfirmProps) => {
  const { t } = useI18n()
  const { api, resources } = useHosted()
  const { name: service } = use(resources.settings())
  const { client, userCode, address, userAgent, isElsewhere } = request
  const calls = api.of(deviceContract)
  const { choice, waitSeconds, blocked, problem, decide } = useDecision(async (next: 'continue' | 'refuse') => {
    if (next === 'continue') return calls.confirmDevice({ body: { userCode } })
    await calls.refuseDevice({ body: { userCode } })
    onRefused()
    return undefined
  })
  const program = useProgram(userAgent)
  useTitle(t('device.confirmTitle', { client: client.name }))
  return (
    <Card>
      <div className="consent-parties" aria-hidden="true">
        <ClientTile client={client} size="large" />
      </div>
      <Heading title={<Text id="device.confirmTitle" values={{ client: <span className="break">{client.name}</span> }} />}>
        {t('device.compare')}
      </Heading>
      <p className="device-code" translate="no">
        <code>{userCode}</code>
      </p>
      <dl className="facts">
        {address === '' ? null : (
          <div>
            <dt>{t('device.from')}</dt>
            <dd>{address}</dd>
          </div>
        )}
        {program === undefined ? null : (
          <div>
            <dt>{t('device.program')}</dt>
            <dd>{program}</dd>
          </div>
        )}
      </dl>
      <div className="consent-warning">
        <Notice tone={client.standing === 'unknown' || isElsewhere ? 'bad' : 'wait'}>
          {t('device.warning', { service })} {isElsewhere ? t('device.elsewhere') : null}
          {client.standing === 'unknown' ? ` ${t('consent.unknown', { service })}` : null}
        </Notice>
      </div>
      <div className="decision-foot">
        <div className="decision">
          <Button kind="secondary" working={choice === 'refuse'} blocked={blocked} onClick={() => decide('refuse')}>
            {t('device.refuse')}
          </Button>
          <Button working={choice === 'continue'} blocked={blocked} onClick={() => decide('continue')}>
            {waitSeconds > 0 ? t('problem.tooManyWait', { count: waitSeconds }) : t('common.continue')}
          </Button>
        </div>
        <FormEnd problem={problem} pending={choice !== undefined} />
      </div>
      <p className="visually-hidden" role="status">
        {choice === undefined ? '' : t('device.looking')}
      </p>
    </Card>
  )
}

const problems = ['expired', 'used', 'refused'] as const
type Problem = (typeof problems)[number]

/** Shows the result of entering a user code, with a link to enter another one. */
const Ended = ({ problem, replacesForm = false }: { readonly problem: Problem; readonly replacesForm?: boolean }) => {
  const { t } = useI18n()
  useTitle(t(`device.${problem}Title`))
  return (
    <MessageCard
      icon={problem === 'refused' ? 'ban' : 'clock'}
      tone={problem === 'refused' ? 'calm' : 'warn'}
      title={t(`device.${problem}Title`)}
      text={t(`device.${problem}`)}
      replacesForm={replacesForm}
    >
      <div className="actions">
        <LinkButton href="/device" kind="secondary">
          {t('device.another')}
        </LinkButton>
      </div>
    </MessageCard>
  )
}

const Done = () => {
  const { t } = useI18n()
  useTitle(t('device.doneTitle'))
  return (
    <MessageCard icon="check" title={t('device.doneTitle')} text={t('device.done')}>
      <div className="actions">
        <LinkButton href="/account/applications" kind="secondary">
          {t('device.applications')}
        </LinkButton>
      </div>
    </MessageCard>
  )
}

/** The page that approves a device. It asks for the user code, shows the request of the device, and then shows the result. */
export const DevicePage = () => {
  const { resources, query } = useHosted()
  const { t } = useI18n()
  const linked = use(resources.deviceRequest())
  const [found, setFound] = useState(typeof linked === 'string' ? undefined : linked)
  const [isRefused, setRefused] = useState(false)
  useTitle(t('device.title'))
  const problem = problems.find((name) => name === query.get('problem'))
  if (query.has('done')) return <Done />
  if (isRefused) return <Ended problem="refused" replacesForm />
  if (problem !== undefined) return <Ended problem={problem} />
  if (found !== undefined) return <Confirm request={found} onRefused={() => setRefused(true)} />
  return <Ask isUnknown={linked === 'unknown'} onFound={setFound} />
}
