/** The preparation for the blocks of each page: people, applications and files that the page mentions. */
import { signedInAs } from '../support/administrators.ts'
import { password, type TestApp } from '../support/app.ts'
import { eventOf, post, signedDelivery, webhookSecret } from '../support/billing.ts'
import type { Client } from '../support/client.ts'
import { imageOf, svgOf } from '../support/images.ts'

/** A page that is about to run. */
export interface Stage {
  readonly t: TestApp
  /** Replaces a text of the page, or a shell variable that the page assumes, by the value of this test. */
  readonly means: (written: string, value: string) => void
  /** Runs lines that the page assumes, and returns their output. */
  readonly shell: (lines: string) => Promise<string>
}

export interface PageStage {
  /** Configuration besides the YAML blocks of the page. `directory` is the one in which lines run. */
  readonly config?: (directory: string) => Record<string, unknown>
  /** Files in the directory in which lines run. */
  readonly files?: () => Promise<Readonly<Record<string, string | Buffer>>>
  /** The file that a YAML block belongs to. Without a file the block is part of the configuration. */
  readonly yamlFile?: (text: string) => string | undefined
  readonly prepare?: (stage: Stage) => Promise<void>
  /** Changes between two blocks, by the beginning of the second block. */
  readonly before?: Readonly<Record<string, (stage: Stage) => Promise<void>>>
}

const tokenOf = async (client: Client): Promise<string> => String((await client.api.sessions.getSession())?.session.token)
const idOf = async (client: Client): Promise<string> => String((await client.api.sessions.getSession())?.user.id)

/** Ann, who owns the organization Acme. */
const annOfAcme = async ({ t, means }: Stage) => {
  const ann = await t.signedIn('ann@example.com')
  await t.verify('ann@example.com')
  const made = await ann.post('/organization/create', { name: 'Acme', slug: 'acme' })
  means('$ORGANIZATION', String(made.json['id']))
  return { ann, organizationId: String(made.json['id']) }
}

const webClient = (id: string) =>
  `gatehouse register-client --name Shop --client-id ${id} --redirect-uri https://shop.example.com/callback --json`

/** The parts of a WOFF2 file that the server checks: signature and length. */
const fontOf = () => {
  const font = Buffer.alloc(64)
  font.write('wOF2', 'latin1')
  font.writeUInt32BE(font.length, 8)
  return font
}

const deliver = async (t: TestApp, event: object) => post(t.url, signedDelivery(webhookSecret, event))

export const stages: Readonly<Record<string, PageStage>> = {
  'docs/start/connect.md': {
    prepare: async ({ t }) => {
      await t.signedIn('ann@example.com')
    },
  },
  'docs/how-to/administration.md': {
    prepare: async ({ t, means }) => {
      const admin = await signedInAs(t, 'admin', 'root@staff.example')
      means('$TOKEN', await tokenOf(admin))
      means('$ID', await idOf(await t.signedIn('ada@example.com', 'Ada Lovelace')))
      means('$GATEHOUSE_URL', t.url)
    },
  },
  'docs/how-to/api-keys.md': {
    prepare: async (stage) => {
      const { ann } = await annOfAcme(stage)
      const { t, means, shell } = stage
      const made = await shell(
        'gatehouse create-api-key --name Import --org acme --permission member:read --permission organization:read --json',
      )
      const { key, id } = JSON.parse(made) as { key: string; id: string }
      means('$KEY', key)
      means('k3Jd8sLq0PzX5vBn', id)
      const cookie = ann.cookies.get('gatehouse.session')
      const host = new URL(t.url).hostname
      await shell(`printf '${host}\\tFALSE\\t/\\tFALSE\\t0\\tgatehouse.session\\t%s\\n' '${cookie}' > cookies`)
    },
  },
  'docs/how-to/applications.md': {
    before: {
      'curl -s -u': async ({ means, shell }) => {
        const made = JSON.parse(await shell(webClient('api'))) as { client_secret: string }
        means('$CLIENT_ID', 'api')
        means('$CLIENT_SECRET', made.client_secret)
        means('$TOKEN', 'a-token-of-another-client')
      },
      // Both secrets were used before.
      'gatehouse get-client': async ({ t }) => {
        await t.app.core.db.knex('client_secret').update({ last_used_at: new Date() })
      },
    },
    files: async () => ({ 'shop.svg': svgOf('<rect width="40" height="20"/>') }),
  },
  'docs/how-to/apply.md': {
    files: async () => ({
      'secrets/shop': 'Kq8Zx2LmP0vTn4RwYb6Hd9FgAs1JcUe3',
      'secrets/polar-eu': webhookSecret,
      'clients.yaml': 'clients:\n  phone:\n    name: Phone\n    type: native\n    redirectUris: [com.example.app:/callback]\n',
      'apply.template.yaml': `source: example\norganizations:\n  acme: { name: Acme Inc. }\n`,
    }),
    yamlFile: () => 'apply.yaml',
    prepare: async ({ shell }) => {
      await shell('export NIGHTLY_CLIENT_SECRET=Wm5Ty8Uz1Xc4Vb7Nq0Lk3Jh6Gf9Ds2Aa')
      await shell('gatehouse apply -f apply.yaml -f clients.yaml --yes')
      await shell('echo Zx8Qm2LpK0vTn4RwYb6Hd9FgAs1JcUe3 > secrets/shop')
      await shell('sed -i "s/name: Nightly report/name: Nightly/" apply.yaml')
    },
    before: {
      '$ gatehouse doctor': async ({ shell }) => {
        await shell('gatehouse update-client phone --name Telephone')
      },
    },
  },
  'docs/how-to/audit.md': {
    prepare: async ({ t, means, shell }) => {
      await shell(webClient('shop'))
      const key = await shell(
        'gatehouse create-api-key --name Support --permission user-sessions:delete --permission users:read --json | jq -r .key',
      )
      means('$KEY', key.trim())
      const ann = await t.signedIn('ann@example.com')
      means('3q9Z…', String((await ann.api.sessions.getSession())?.session.id))
    },
  },
  'docs/how-to/backup.md': {
    // At a terminal the command would ask for it.
    config: () => ({ backup: { passphrase: 'correct horse battery staple' } }),
    prepare: async ({ shell }) => {
      await shell('mkdir -p var/backups run/secrets && echo "correct horse battery staple" > run/secrets/backup')
    },
  },
  'docs/how-to/billing.md': {
    config: () => ({ billing: { secrets: [webhookSecret] } }),
    prepare: async (stage) => {
      const { ann, organizationId } = await annOfAcme(stage)
      const { t, means, shell } = stage
      means('rEqxyuCnT07hTCg2kHmXySWESNwoVXvs', await idOf(ann))
      means('xKa7tvohwoqOYWY6CvzcXl4fecXF6GDg', organizationId)
      await shell(webClient('LoADiBmsGOUzFf2s2GhZLFBiz75oa3W4'))
      await deliver(t, eventOf('customer.created', { customerId: 'cus_7c1', email: 'buyer@example.com', externalId: null }))
      means('2WYKp5B2XeQRPvnt7XH0NPpQ4EeZkiVA', (await shell('gatehouse list-deliveries --limit 1 -o id')).trim())
      await deliver(t, { ...eventOf('order.paid'), data: {} })
      const quarantined = await shell('gatehouse list-deliveries --verdict quarantined -o id')
      means('7hQmT0c2WvKZ1sXy8dNfR4bLgEoUjPaI', quarantined.trim())
    },
  },
  'docs/how-to/brand.md': {
    config: (directory) => ({ texts: { directory: `${directory}/texts` } }),
    yamlFile: (text) => (text.startsWith('pages:') ? 'texts/en.yaml' : undefined),
    files: async () => ({
      'etc/gatehouse/logo.svg': svgOf('<rect width="40" height="20"/>'),
      'etc/gatehouse/logo-dark.svg': svgOf('<rect width="40" height="20"/>'),
      'etc/gatehouse/icon.png': await imageOf(),
      'etc/gatehouse/brand.woff2': fontOf(),
      'acme.png': await imageOf(),
    }),
    prepare: async (stage) => {
      await annOfAcme(stage)
      const made = await stage.shell(
        'gatehouse create-api-key --name Logo --org acme --permission organization:update --json | jq -r .key',
      )
      stage.means('$API_KEY', made.trim())
    },
  },
  'docs/how-to/operating.md': {
    files: async () => ({
      'etc/gatehouse/gatehouse.yaml': 'signIns: { keepDays: 10 }\n',
      'pwned-passwords-sha1-ordered-by-hash.txt':
        '000000005AD76BD555C1D6D771DE417A4B87E4B4:10\r\n00000000A8DAE4228F821FB418F59826079BF368:4\r\n',
    }),
  },
  'docs/reference/roles.md': {},
  'docs/how-to/second-factors.md': {
    prepare: async ({ t }) => {
      await t.signedIn('ann@example.com')
    },
  },
  'docs/how-to/secrets.md': {
    files: async () => ({ 'data/secret': 'Qk9r8GKYqrTwjUPD8ILPZIo2LaLaSw77\n' }),
  },
  'docs/how-to/sign-in-problems.md': {
    prepare: async ({ t, shell }) => {
      await shell(`echo '${password}' | gatehouse create-user --email ann@example.com --name Ann --verified --password-stdin`)
      const attempt = (secret: string) =>
        t.client().post('/sign-in/email', { email: 'ann@example.com', password: secret }, { origin: t.url })
      await attempt('a wrong password')
      await shell('gatehouse ban-user --user ann@example.com --for 7d --reason chargebacks')
      await attempt(password)
    },
  },
  'docs/how-to/user-fields.md': {},
  'docs/how-to/user-names.md': {},
  'docs/how-to/users.md': {
    prepare: async ({ shell }) => {
      await shell(`echo '${password}' | gatehouse create-user --email ann@example.com --name Ann --password-stdin`)
    },
  },
}
