import type { ReactNode } from 'react'
import type { ApiDocument, Content, Operation } from './document.ts'
import { errorsOf } from './document.ts'
import { asJson, curlOf, exampleOf } from './examples.ts'
import { Body, CodeBlock, FieldRow, Method, Prose } from './parts.tsx'

interface OperationProps {
  readonly document: ApiDocument
  readonly operation: Operation
}

const Part = ({ id, title, children }: { readonly id: string; readonly title: string; readonly children: ReactNode }) => (
  <section className="api-part" aria-labelledby={id}>
    <h2 id={id}>{title}</h2>
    {children}
  </section>
)

const accessOf = ({ security }: Operation): string => {
  if (security.length === 0) return 'Anyone. The session of the caller is not read.'
  if (security.some((requirement) => Object.keys(requirement).length === 0))
    return 'Anyone. A session is used when the request has one.'
  return 'A user who is signed in: with the session cookie, or with the session token as `Authorization: Bearer`.'
}

const Parameters = ({ document, operation }: OperationProps) => {
  const { parameters = [] } = operation
  const groups = [...new Set(parameters.map((parameter) => parameter.in))]
  if (parameters.length === 0) return null
  return (
    <Part id="parameters" title="Parameters">
      {groups.map((group) => (
        <div key={group}>
          <h3>In the {group}</h3>
          <ul className="api-fields">
            {parameters
              .filter((parameter) => parameter.in === group)
              .map(({ name, schema = {}, description, required = false }) => (
                <FieldRow
                  key={name}
                  document={document}
                  name={name}
                  schema={description === undefined ? schema : { ...schema, description }}
                  isRequired={required}
                />
              ))}
          </ul>
        </div>
      ))}
    </Part>
  )
}

interface ContentsProps {
  readonly document: ApiDocument
  readonly contents: Readonly<Record<string, Content>>
  readonly title: string
}

/** Shows each media type of a body with its fields and an example. */
const Contents = ({ document, contents, title }: ContentsProps) =>
  Object.entries(contents).map(([mediaType, content]) => {
    const example = mediaType === 'application/json' ? exampleOf(document, content) : undefined
    return (
      <div key={mediaType} className="api-content">
        <p className="api-limits">
          <code>{mediaType}</code>
        </p>
        {content.schema === undefined ? null : <Body document={document} schema={content.schema} />}
        {example === undefined ? null : <CodeBlock title={title} code={asJson(example)} />}
      </div>
    )
  })

const Errors = ({ operation }: { readonly operation: Operation }) => {
  const other = operation.responses['default']?.description
  return (
    <Part id="errors" title="Errors">
      <table className="api-errors">
        <thead>
          <tr>
            <th scope="col">Status</th>
            <th scope="col">Code</th>
            <th scope="col">Message</th>
          </tr>
        </thead>
        <tbody>
          {errorsOf(operation).map(({ status, code, message }) => (
            <tr key={`${status} ${code}`}>
              <td>{status}</td>
              <td>
                <code>{code}</code>
              </td>
              <td>{message}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {other === undefined ? null : <Prose text={other} />}
    </Part>
  )
}

/** Everything that the document says about an operation, shown below the operation's title. */
export const OperationDetails = ({ document, operation }: OperationProps) => {
  const { method, path, description, requestBody, responses } = operation
  const successes = Object.entries(responses).filter(([status]) => /^[23]/.test(status))
  return (
    <>
      <p className="api-endpoint">
        <Method method={method} />
        <code>{path}</code>
      </p>
      {description === undefined ? null : <Prose text={description} />}
      <Part id="access" title="Who may call">
        <Prose text={accessOf(operation)} />
      </Part>
      <Parameters document={document} operation={operation} />
      {requestBody === undefined ? null : (
        <Part id="request" title="Request body">
          <Contents document={document} contents={requestBody.content} title="Example of the request body" />
        </Part>
      )}
      <Part id="call" title="Example call">
        <CodeBlock title="curl" code={curlOf(document, operation, location.origin)} />
      </Part>
      <Part id="responses" title="Responses">
        {successes.map(([status, response]) => (
          <div key={status}>
            <h3>
              {status} {response.description}
            </h3>
            <Contents document={document} contents={response.content ?? {}} title={`Example of the response ${status}`} />
          </div>
        ))}
      </Part>
      <Errors operation={operation} />
    </>
  )
}
