// SPDX-License-Identifier: Apache-2.0
// Reads a list of objects of Kubernetes and writes a list of what is wrong with each, both as JSON. The
// validators of the package are made of the published schemas, which allow fields that they do not
// know, as the types of the same package do not: so each object is also type-checked as a literal.
import { readFileSync, writeFileSync } from "node:fs";
import ts from "typescript";

const SOURCES = [
  [/^monitoring\.coreos\.com\//, "@kubernetes-models/prometheus-operator/"],
  [/^/, "kubernetes-models/"],
];

function moduleOf(object) {
  return SOURCES.find(([version]) => version.test(object.apiVersion))[1] + object.apiVersion;
}

async function invalid(object) {
  const kinds = await import(`${moduleOf(object)}/index`);
  try {
    new kinds[object.kind](object).validate();
    return [];
  } catch (error) {
    return [error.message];
  }
}

function sourceOf(object) {
  return `import type { I${object.kind} } from "${moduleOf(object)}/${object.kind}";\n` +
    `export const it: I${object.kind} = ${JSON.stringify(object, null, 1)};\n`;
}

function mistyped(names) {
  const options = { strict: true, noEmit: true, skipLibCheck: true, types: [],
                    module: ts.ModuleKind.Node16, moduleResolution: ts.ModuleResolutionKind.Node16 };
  const program = ts.createProgram(names, options);
  return names.map((name) => ts.getPreEmitDiagnostics(program, program.getSourceFile(name))
    .map((found) => ts.flattenDiagnosticMessageText(found.messageText, " ")));
}

const objects = JSON.parse(readFileSync(0, "utf8"));
const names = objects.map((object, i) => `object_${i}.mts`);
names.forEach((name, i) => writeFileSync(name, sourceOf(objects[i])));
const types = mistyped(names);
const wrong = await Promise.all(objects.map(async (object, i) => [...await invalid(object), ...types[i]]));
process.stdout.write(JSON.stringify(wrong));
