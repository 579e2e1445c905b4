// SPDX-License-Identifier: Apache-2.0
//
// A field that has %s once, with a text in its place.
function(config, field, text, meaning)
  if std.length(std.findSubstr('%s', config[field])) == 1 then
    std.strReplace(config[field], '%s', text)
  else
    error '_config.pmuExporter.%s should have %%s once, for %s' % [field, meaning]
